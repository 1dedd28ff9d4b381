import { CallError, UsageError } from "../../../base/errors.ts";
import { pointerOf, valueAt } from "../../../base/json/json_pointer.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { hint, nearest } from "../../../base/text/nearest.ts";
import { quote, quotePath } from "../../../base/text/quote.ts";
import { configFiles, configPlace } from "../../config/config_files.ts";
import { editConfig, readConfigured } from "../../config/edit_config.ts";
import { exitCodes } from "../../call/failure.ts";
import { type KeptServer, listKept, stopKept } from "../../mcp/kept/kept_servers.ts";
import type { Command } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { writeAll } from "../streams.ts";
import { refuseOthers } from "./mcp_remote_server.ts";

/**
 * `toolcall mcp stop SERVER`: ends a server that is kept between calls. With `--all` it ends all of
 * them, also those of other configurations.
 */
export const mcpStopCommand: Command = async (line, operands, { stdout, stderr }) => {
  refuseOthers(line, ["all", "state-dir", "config", "root"], "mcp stop");
  refuseOperands(operands, 1);
  const [server] = operands;
  const isAll = line.options.has("all");
  if ((server === undefined) !== isAll) {
    throw new UsageError("Usage: toolcall mcp stop SERVER, or toolcall mcp stop --all");
  }
  const stateDir = line.options.get("state-dir");
  const files = configFiles(configPlace(line));
  const isOwn = (each: KeptServer) => each.server === server && files.includes(each.file);
  try {
    const stopped = await stopKept(stateDir, isAll ? () => true : isOwn);
    const text = stopped.map(({ server, pid, file }) =>
      `Ended the MCP server ${quote(server)} of ${quotePath(file)}, process ${pid ?? "unknown"}\n`
    );
    await writeAll(stdout, escapeControls(text.join("")));
    if (stopped.length > 0 || isAll) return 0;
    const why = whyNone(server!, await listKept(stateDir));
    await writeAll(stderr, `toolcall: ${escapeControls(why)}\n`);
    return 1;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    await writeAll(stderr, `toolcall: ${escapeControls(error.message)}\n`);
    return exitCodes[error.code];
  }
};

function whyNone(server: string, running: readonly KeptServer[]): string {
  const start = `The MCP server ${quote(server)} is not kept now`;
  const other = running.find((each) => each.server === server);
  if (other !== undefined) {
    return `${start}, except for ${quotePath(other.file)}: add --config=${quotePath(other.file)}`;
  }
  const names = [...new Set(running.map((each) => each.server))];
  if (names.length === 0) return `${start}, and no other is`;
  const near = nearest(server, names);
  return `${start}; ${near === undefined ? `running: ${names.join(", ")}` : hint(near, "")}`;
}

/** `toolcall mcp remove SERVER`: removes a server from the configuration, and ends it if it runs. */
export const mcpRemoveCommand: Command = async (line, operands, process) => {
  refuseOthers(line, ["state-dir", "config", "root"], "mcp remove");
  refuseOperands(operands, 1);
  const [server] = operands;
  if (server === undefined) throw new UsageError("Usage: toolcall mcp remove SERVER");
  const place = configPlace(line);
  const found = readConfigured("/mcpServers", place);
  const holder = found.find(({ value }) => valueAt(value, [server]) !== undefined);
  if (holder === undefined) {
    const names = found.flatMap(({ value }) => Object.keys(value ?? {}));
    const near = nearest(server, names);
    const other = near === undefined ? `configured: ${names.join(", ") || "none"}` : hint(near, "");
    throw new UsageError(`Cannot remove ${quote(server)}: no such MCP server; ${other}`);
  }
  const { file } = holder;
  try {
    await editConfig(
      { pointer: pointerOf(["mcpServers", server]), value: undefined },
      { place: { ...place, file, isEmpty: false }, tools: [...process.entries] },
    );
    await stopKept(
      line.options.get("state-dir"),
      (each) => each.server === server && each.file === file,
    );
    const text = `Removed the MCP server ${quote(server)} from ${quotePath(file)}\n`;
    await writeAll(process.stdout, escapeControls(text));
    return 0;
  } catch (error) {
    await writeAll(process.stderr, `toolcall: ${escapeControls((error as Error).message)}\n`);
    return 1;
  }
};
