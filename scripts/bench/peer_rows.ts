/** The rows of other programs that run a call or a command, each compared with the floor. */
import { join } from "node:path";
import { bashFlags, ECHO, readCall, readFlags, toolcall } from "./calls.ts";
import { cacheDirectory } from "./cache_directory.ts";
import { FLOOR } from "./cold_rows.ts";
import { inspectorCall } from "./inspector.ts";
import { codex, node, nodeScript, programInPath } from "./peers.ts";
import { timeOf } from "./processes.ts";
import type { Section } from "./rows.ts";
import { referenceCommand } from "./servers.ts";
import type { Workspace } from "./workspace.ts";

/** Prints a file that a call in JSON names. */
const SCRIPT = `
import { readFileSync } from "node:fs";
const { arguments: { file_path: path } } = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify({ text: readFileSync(path, "utf8") }) + "\\n");
`;

const SHELL = ["bash", "-c", "echo"];

/** Programs that read a file for one call, and sandboxes around one command. */
export function peerSection(workspace: Workspace): Section {
  const rows: [name: string, of: string][] = [
    ["peer-node", "plain Node script, one call"],
    ["peer-mcporter", "mcporter with server-filesystem"],
    ["peer-mcporter-toolcall", "mcporter with toolcall mcp"],
    ["peer-inspector", "Inspector with server-filesystem"],
    ["peer-inspector-toolcall", "Inspector with toolcall mcp"],
    ["peer-bash", "bash, without a sandbox"],
    ["peer-bwrap", "bash in bwrap"],
    ["peer-codex", "bash in Codex's sandbox"],
    ["peer-toolcall-read", "toolcall: Read, scoped"],
    ["peer-toolcall-bash", "toolcall: Bash, scoped"],
  ];
  return {
    rounds: 20,
    rows: rows.map(([name, of]) => ({ name, of, group: "peers", to: FLOOR })),
    subjects: {
      [FLOOR]: async () => timeOf({ command: await workspace.floor() }),
      "plain Node script, one call": () => nodeReads(workspace),
      "mcporter with server-filesystem": () => mcporterCalls(workspace, "reference"),
      "mcporter with toolcall mcp": () => mcporterCalls(workspace, "toolcall"),
      "Inspector with server-filesystem": async () =>
        timeOf(await inspectorCall(workspace, "reference")),
      "Inspector with toolcall mcp": async () => timeOf(await inspectorCall(workspace, "toolcall")),
      "bash, without a sandbox": () => timeOf({ command: SHELL }),
      "bash in bwrap": () => timeOf({ command: [...bubblewrap(workspace), ...SHELL] }),
      "bash in Codex's sandbox": () => codexRuns(workspace),
      "toolcall: Read, scoped": async () =>
        timeOf(
          await toolcall(workspace, readFlags(workspace), { call: await readCall(workspace) }),
        ),
      "toolcall: Bash, scoped": async () =>
        timeOf(await toolcall(workspace, bashFlags(workspace), { call: ECHO })),
    },
  };
}

async function nodeReads(workspace: Workspace) {
  const script = join(workspace.directory, "read.mjs");
  Deno.writeTextFileSync(script, SCRIPT);
  const stdin = JSON.stringify(await readCall(workspace));
  return timeOf({ command: [await node(), script], stdin });
}

async function mcporterCalls(workspace: Workspace, server: "toolcall" | "reference") {
  const client = await nodeScript("mcporter", "mcporter/dist/cli.js");
  const path = await workspace.textFile(600);
  const { command: [file, ...args], env } = server === "toolcall"
    ? await toolcall(workspace, ["mcp", ...readFlags(workspace)])
    : { command: await referenceCommand(workspace), env: {} };
  const call = server === "toolcall"
    ? ["Read", `file_path=${path}`]
    : ["read_text_file", `path=${path}`];
  return timeOf({
    command: [
      ...client,
      ...["call", "--stdio", file!, ...args.flatMap((arg) => ["--stdio-arg", arg])],
      ...call,
    ],
    // mcporter looks for the configurations of editors in HOME.
    env: { ...env, HOME: workspace.directory },
    cwd: workspace.files,
  });
}

/** A sandbox similar to that of `toolcall`: read-only files, and no network. */
function bubblewrap({ files }: Workspace): string[] {
  const readOnly = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];
  const own = ["--bind", files, files, "--unshare-all", "--die-with-parent"];
  return [programInPath("bwrap"), ...readOnly, ...own, "--"];
}

async function codexRuns({ files }: Workspace) {
  // Codex refuses to keep its helper in a temporary directory.
  const home = join(cacheDirectory(), "codex_home");
  Deno.mkdirSync(home, { recursive: true });
  const command = [await codex(), "sandbox", "--", ...SHELL];
  return timeOf({ command, env: { CODEX_HOME: home }, cwd: files });
}
