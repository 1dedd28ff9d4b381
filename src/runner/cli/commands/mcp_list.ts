import { formatDuration } from "../../../base/duration.ts";
import { CallError } from "../../../base/errors.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { exitCodes } from "../../call/failure.ts";
import { type KeptServer, listKept } from "../../mcp/kept/kept_servers.ts";
import { type Command, type CommandLine, readFormat } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { type Cell, tableLines } from "../print/table.ts";
import { inline, layoutFor, type TextLayout } from "../print/style.ts";
import { writeAll } from "../streams.ts";
import { type ClientFile, clientFiles } from "./mcp_clients.ts";
import { readServers, refuseOthers } from "./mcp_remote_server.ts";

/** A server of the configuration, or one that is kept for another configuration. */
interface ServerRow extends Omit<KeptServer, "state" | "keeperPid" | "startedAt" | "pid"> {
  /** Whether it runs between calls now. `invalid` is an entry that cannot be used. */
  state: KeptServer["state"] | "not running" | "remote" | "invalid";
  /** The process of the server, if it runs. */
  pid: number | null;
  /** The process that keeps it, if it runs. */
  keeperPid: number | null;
  /** When it was started, as ISO 8601 text, if it runs. */
  startedAt: string | null;
  /** The time that it is kept after a call, in milliseconds; `null` if it ends with the call. */
  keepAliveMs: number | null;
}

/**
 * `toolcall mcp list`: the clients that have toolcall, and the MCP servers with their state. It
 * starts no server.
 */
export const mcpListCommand: Command = async (line, operands, { stdout, stderr }) => {
  refuseOperands(operands, 0);
  const known = ["name", "scope", "format", "state-dir", "config", "root"];
  refuseOthers(line, known, "mcp list");
  const format = readFormat(line, ["text", "json"]);
  const files = clientFiles(line);
  // The clients are shown even if the servers cannot be read.
  let [servers, failure]: [servers: ServerRow[], failure?: CallError] = [[]];
  try {
    servers = await serverRows(line);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    failure = error;
  }
  const text = format === "json"
    ? `${JSON.stringify([...files, ...servers])}\n`
    : formatLists(files, servers, layoutFor(stdout));
  await writeAll(stdout, text);
  if (failure === undefined) return 0;
  await writeAll(stderr, `toolcall: ${escapeControls(failure.message)}\n`);
  return exitCodes[failure.code];
};

async function serverRows(line: CommandLine): Promise<ServerRow[]> {
  const { config: { servers, path } } = await readServers(line);
  const kept = await listKept(line.options.get("state-dir"));
  const isOf = (server: string) => (each: KeptServer) =>
    each.server === server && each.file === path;
  const rows = [...servers].flatMap(([server, entry]): ServerRow[] => {
    if (entry instanceof Error) return [notRunning(server, { file: path!, state: "invalid" })];
    const keepAliveMs = entry.keepMs ?? null;
    const own = kept.filter(isOf(server)).map((each) => ({ ...each, keepAliveMs }));
    const state = entry.place.type === "stdio" ? "not running" : "remote";
    return own.length > 0 ? own : [notRunning(server, { file: path!, state, keepAliveMs })];
  });
  const others = kept.filter((each) => !rows.some(({ keeperPid }) => keeperPid === each.keeperPid));
  return [...rows, ...others.map((each) => ({ ...each, keepAliveMs: null }))];
}

function notRunning(
  server: string,
  { file, state, keepAliveMs = null }: Pick<ServerRow, "file" | "state"> & Partial<ServerRow>,
): ServerRow {
  const never = { pid: null, keeperPid: null, startedAt: null, calls: 0, idleLeftMs: null };
  return { server, file, state, ...never, keepAliveMs };
}

function formatLists(
  files: readonly ClientFile[],
  servers: readonly ServerRow[],
  page: TextLayout,
): string {
  const shown = files.filter(({ state }) => state === "installed" || state === "unreadable");
  const clients = shown.length === 0
    ? ["No client has toolcall. Add it: toolcall mcp install CLIENT"]
    : tableLines([headers("CLIENT", "SCOPE", "STATE", "FILE"), ...shown.map(clientCells)], page);
  const columns = headers("SERVER", "STATE", "PID", "SINCE", "IDLE LEFT", "FILE");
  const configured = servers.length === 0
    ? ["No MCP server is configured. Add one: toolcall mcp add NAME URL"]
    : tableLines([columns, ...servers.map(serverCells)], page);
  return [...clients, "", ...configured].map((each) => `${each}\n`).join("");
}

function headers(...texts: string[]): Cell[] {
  return texts.map((text) => ({ text, style: "faint" }));
}

function clientCells({ client, scope, file, state }: ClientFile): Cell[] {
  return [
    { text: client, style: "strong" },
    { text: scope },
    { text: state, style: state === "installed" ? "green" : "red" },
    { text: inline(file ?? "-") },
  ];
}

function serverCells(
  { server, state, pid, startedAt, calls, idleLeftMs, file }: ServerRow,
): Cell[] {
  const left = idleLeftMs === null ? "-" : formatDuration(idleLeftMs);
  return [
    { text: inline(server), style: "strong" },
    state === "running"
      ? { text: state, style: "green" }
      : { text: state, ...(/invalid|respond/.test(state) && { style: "red" as const }) },
    { text: pid === null ? "-" : String(pid) },
    { text: startedAt === null ? "-" : startedAt.replace(/\.\d+Z$/, "Z") },
    { text: calls > 0 ? "in use" : left },
    { text: inline(file) },
  ];
}
