/** The calls that the rows make, and the flags that they need. */
import { join } from "node:path";
import type { ToolCall } from "./mcp_requests.ts";
import type { Program } from "./processes.ts";
import type { State, Workspace } from "./workspace.ts";

/** A call of `Read` for a file of 600 bytes. */
export async function readCall(workspace: Workspace): Promise<ToolCall> {
  return { name: "Read", arguments: { file_path: await workspace.textFile(600) } };
}

/** A call of `Bash` for a command that does nothing but print. */
export const ECHO: ToolCall = { name: "Bash", arguments: { command: "echo" } };

/** A call of `Grep` below a directory. */
export function grepCall(path: string): ToolCall {
  return { name: "Grep", arguments: { pattern: "needle", path } };
}

/** A call of `Glob` below a directory. */
export function globCall(path: string): ToolCall {
  return { name: "Glob", arguments: { pattern: "**/*.ts", path } };
}

/** A directory of two files. */
export function smallDirectory(workspace: Workspace): Promise<string> {
  return workspace.once("small directory", () => {
    const directory = join(workspace.files, "small");
    Deno.mkdirSync(directory);
    Deno.writeTextFileSync(join(directory, "one.ts"), "const needle = 1;\n");
    Deno.writeTextFileSync(join(directory, "two.md"), "# Two\n");
    return directory;
  });
}

/** Flags that allow reading the files of the bench. */
export function readFlags({ files }: Workspace): string[] {
  return [`--allow-read=${files}`];
}

/** Flags that allow reading and writing the files of the bench, and starting `bash`. */
export function bashFlags({ files }: Workspace): string[] {
  return [`--allow-read=${files}`, `--allow-write=${files}`, "--allow-run=bash"];
}

/**
 * The executable with arguments, and a call for its input. Without `state` it is in the state of
 * daily use, if this machine can produce that state.
 */
export async function toolcall(
  workspace: Workspace,
  args: readonly string[],
  { call, state }: { call?: ToolCall; state?: State } = {},
): Promise<Program & { command: string[] }> {
  return {
    command: [workspace.executable, ...args],
    stdin: call === undefined ? "" : JSON.stringify(call),
    env: await (state === undefined ? workspace.unpackedAsUsual() : workspace.unpacked(state)),
    cwd: workspace.files,
  };
}
