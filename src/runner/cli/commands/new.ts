import { UsageError } from "../../../base/errors.ts";
import { pointerOf, valueAt } from "../../../base/json/json_pointer.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { quote, quotePath } from "../../../base/text/quote.ts";
import type { CommandConfig } from "../../command_tools/command_config.ts";
import { parseTemplate } from "../../command_tools/template.ts";
import { editConfig, readConfigured } from "../../config/edit_config.ts";
import { Registry } from "../../registry/registry.ts";
import type { Json } from "../../registry/services.ts";
import type { Command } from "../command.ts";
import { chosenPlace } from "../config_key.ts";
import { writeAll } from "../streams.ts";

const USAGE = "Usage: toolcall new NAME [-- PROGRAM ARGUMENT…]";

/** The tool of a call without a program: it works on every machine. */
const SAMPLE: CommandConfig = {
  description: "Greets by name.",
  run: ["printf", "Hello, %s!\n", "{name}"],
  inputSchema: {
    type: "object",
    properties: { name: { type: "string", description: "The name to greet." } },
    required: ["name"],
  },
  examples: [
    { description: "Greet Ada", input: { name: "Ada" }, expect: "Hello, Ada!" },
    {
      description: "An option in place of a name is refused",
      input: { name: "--help" },
      expect: 'must not begin with "-"',
      isError: true,
    },
  ],
};

/** `toolcall new NAME [-- PROGRAM ARGUMENT…]`: adds a command tool to a configuration file. */
export const newCommand: Command = async (line, operands, process) => {
  const [name, ...run] = operands;
  if (name === undefined || name === "") throw new UsageError(`Missing tool name. ${USAGE}`);
  const place = chosenPlace(line);
  const taken = readConfigured("/commands", place)
    .find(({ value }) => valueAt(value, [name]) !== undefined);
  if (taken !== undefined) {
    const file = quotePath(taken.file);
    throw new UsageError(`Cannot add ${quote(name)}: ${file} has it already; choose another name`);
  }
  if (new Registry(process.entries).has(name)) {
    throw new UsageError(`Cannot add ${quote(name)}: a built-in tool has it; choose another name`);
  }
  const entry = run.length === 0 ? SAMPLE : entryOf(run as [string, ...string[]]);
  try {
    const { file } = await editConfig(
      { pointer: pointerOf(["commands", name]), value: entry as unknown as Json },
      { place, tools: [...process.entries] },
    );
    const text = `Added the tool ${quote(name)} to ${quotePath(file)}\n` +
      (run.length === 0
        ? `Run its examples: toolcall try ${name}\n`
        : `Write its description there. See what a call needs: toolcall check ${name}\n`);
    await writeAll(process.stdout, escapeControls(text));
    return 0;
  } catch (error) {
    await writeAll(process.stderr, `toolcall: ${escapeControls((error as Error).message)}\n`);
    return 1;
  }
};

/** The tool of a command line. Each placeholder becomes an argument. */
function entryOf(run: readonly [string, ...string[]]): CommandConfig {
  const parts = run.flatMap((template) => {
    try {
      return parseTemplate(template);
    } catch (error) {
      throw new UsageError(`Cannot use the command: ${(error as Error).message}`);
    }
  });
  const named = parts.flatMap((part) => "name" in part ? [part] : []);
  const properties = named.map(({ name, then }) => [
    name,
    { type: then === undefined ? "string" : "boolean", description: `The argument ${name}.` },
  ]);
  const required = named.filter(({ then }) => then === undefined).map(({ name }) => name);
  return {
    description: `Runs ${run[0]}.`,
    run,
    inputSchema: {
      ...{ type: "object", properties: Object.fromEntries(properties) },
      required: [...new Set(required)],
    },
  };
}
