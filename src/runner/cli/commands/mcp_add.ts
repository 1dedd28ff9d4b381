import { UsageError } from "../../../base/errors.ts";
import { pointerOf, valueAt } from "../../../base/json/json_pointer.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { quote, quotePath } from "../../../base/text/quote.ts";
import { editConfig, readConfigured } from "../../config/edit_config.ts";
import type { Command } from "../command.ts";
import { chosenPlace } from "../config_key.ts";
import { writeAll } from "../streams.ts";

const USAGE = "Usage: toolcall mcp add NAME URL, or toolcall mcp add NAME -- PROGRAM ARGUMENT…";

/** `toolcall mcp add NAME URL|-- PROGRAM ARGUMENT…`: adds an MCP server to the configuration. */
export const mcpAddCommand: Command = async (line, operands, process) => {
  const [name, place, ...args] = operands;
  if (name === undefined || place === undefined) throw new UsageError(`Missing operand. ${USAGE}`);
  const isAddress = /^https?:\/\//i.test(place);
  if (isAddress && args.length > 0) {
    throw new UsageError(`Unexpected argument ${quote(args[0]!, 80)} after an address. ${USAGE}`);
  }
  const where = chosenPlace(line);
  const taken = readConfigured("/mcpServers", where)
    .find(({ value }) => valueAt(value, [name]) !== undefined);
  if (taken !== undefined) {
    const file = quotePath(taken.file);
    throw new UsageError(`Cannot add ${quote(name)}: ${file} has it already; choose another name`);
  }
  const value = isAddress ? { url: place } : { command: place, ...(args.length > 0 && { args }) };
  try {
    const { file } = await editConfig(
      { pointer: pointerOf(["mcpServers", name]), value },
      { place: where, tools: [...process.entries] },
    );
    const access = isAddress
      ? "toolcall sends it the arguments of its calls. If it requires a login: " +
        `toolcall mcp login ${name}`
      : "It is a program. It runs outside of the sandbox, with your rights.";
    const text = `Added the MCP server ${quote(name)} to ${quotePath(file)}\n${access}\n` +
      `Its tools need --allow-mcp=${name}: toolcall list --allow-mcp=${name}\n`;
    await writeAll(process.stdout, escapeControls(text));
    return 0;
  } catch (error) {
    await writeAll(process.stderr, `toolcall: ${escapeControls((error as Error).message)}\n`);
    return 1;
  }
};
