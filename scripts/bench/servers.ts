/** The long-lived programs that the rows compare, each with its request for the same file. */
import { join } from "node:path";
import { readCall, readFlags, toolcall } from "./calls.ts";
import { HttpClient } from "./http_client.ts";
import { type Exchange, LineClient } from "./line_client.ts";
import { startMcpServer, type ToolCall, toolsCall } from "./mcp_requests.ts";
import { node, nodeScript } from "./peers.ts";
import { runProgram } from "./processes.ts";
import { Missing, type Subject } from "./rows.ts";
import type { Workspace } from "./workspace.ts";

/** A program that runs, and its request. */
export interface Server {
  client: { exchange(exchange: Exchange): Promise<number>; close(): Promise<void> };
  request(id: number): string;
  /** The process ID, for a program whose memory is measured. */
  pid: number;
}

/** Starts `toolcall mcp` over stdio for calls of one tool. The default is `Read`. */
export async function mcpServer(
  workspace: Workspace,
  { call, flags = readFlags(workspace) }: { call?: ToolCall; flags?: readonly string[] } = {},
): Promise<Server> {
  const client = await startMcpServer(await toolcall(workspace, ["mcp", ...flags]));
  return { client, pid: client.pid, request: toolsCall(call ?? await readCall(workspace)) };
}

/** Starts `toolcall mcp` over HTTP for calls of `Read`. */
export async function httpServer(workspace: Workspace): Promise<Server> {
  const args = ["mcp", "--http=127.0.0.1:0", "--no-token", ...readFlags(workspace)];
  const client = await HttpClient.start(await toolcall(workspace, args));
  return { client, pid: client.pid, request: toolsCall(await readCall(workspace)) };
}

/** The command of the reference filesystem server for the files of the bench. */
export async function referenceCommand(workspace: Workspace): Promise<string[]> {
  const script = "@modelcontextprotocol/server-filesystem/dist/index.js";
  return [...await nodeScript("filesystem", script), workspace.files];
}

/** Starts the reference filesystem server for calls of its tool that reads a text file. */
export async function referenceServer(workspace: Workspace): Promise<Server> {
  const client = await startMcpServer({ command: await referenceCommand(workspace) });
  const path = await workspace.textFile(600);
  const request = toolsCall({ name: "read_text_file", arguments: { path } });
  return { client, pid: client.pid, request };
}

/** Reads the file of each line, and prints it as a line: a server can hardly do less. */
const LOOP = `
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const { id, path } = JSON.parse(line);
  process.stdout.write(JSON.stringify({ id, text: readFileSync(path, "utf8") }) + "\\n");
}
`;

/** Starts a plain script that reads a file for each line of JSON, without checks or a protocol. */
export async function loopServer(workspace: Workspace): Promise<Server> {
  const script = await workspace.once("loop", () => {
    const path = join(workspace.directory, "loop.mjs");
    Deno.writeTextFileSync(path, LOOP);
    return path;
  });
  const client = new LineClient({ command: [await node(), script] });
  const path = JSON.stringify(await workspace.textFile(600));
  return { client, pid: client.pid, request: (id) => `{"id":${id},"path":${path}}` };
}

/** Starts `toolcall submit` for calls of `Read`. Throws `Missing` for an executable without it. */
export async function submitServer(
  workspace: Workspace,
  flags: readonly string[] = [],
): Promise<Server> {
  const program = await toolcall(workspace, ["submit", ...readFlags(workspace), ...flags]);
  await workspace.once("submit", () => requireCommand(program.command, program.env));
  const client = new LineClient(program);
  const call = JSON.stringify(await readCall(workspace));
  return { client, pid: client.pid, request: (id) => `{"id":${id},"call":${call}}` };
}

/**
 * Runs `toolcall submit` for a file of so many calls of `Read`, and writes the results to a file. The
 * figure is the number of calls a second, with the start of the program.
 */
export async function submittedRate(workspace: Workspace, count: number): Promise<Subject> {
  const { command, env, cwd } = await toolcall(workspace, ["submit", ...readFlags(workspace)]);
  await workspace.once("submit", () => requireCommand(command, env));
  const line = `${JSON.stringify(await readCall(workspace))}\n`;
  const [calls, results] = ["calls", "results"].map((name) =>
    join(workspace.files, "..", `${name}.ndjson`)
  ) as [string, string];
  Deno.writeTextFileSync(calls, line.repeat(count));
  const script = `exec "$@" < "${calls}" > "${results}"`;
  const program = { command: ["sh", "-c", script, "sh", ...command], env, cwd };
  return { unit: "calls/s", measure: async () => count * 1_000 / await runProgram(program) };
}

/** An older executable without this command takes its name for the name of a tool. */
async function requireCommand(
  [file, ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>> | undefined,
): Promise<void> {
  const { stdout } = await new Deno.Command(file!, {
    args,
    env: env as Record<string, string>,
    stdin: "null",
    stderr: "null",
  }).output();
  if (new TextDecoder().decode(stdout).includes("tool_not_found")) {
    throw new Missing("not in this executable");
  }
}

/** A subject whose figure is the calls that a server answers in a second. */
export async function rateOf(
  starting: Promise<Server>,
  { count, inFlight }: Omit<Exchange, "request">,
): Promise<Subject> {
  const { client, request } = await starting;
  return {
    unit: "calls/s",
    measure: async () => count * 1_000 / await client.exchange({ count, inFlight, request }),
    close: () => client.close(),
  };
}
