/** MCP Inspector's command line as a client. */
import { nodeScript } from "./peers.ts";
import { readFlags, toolcall } from "./calls.ts";
import { environmentFor } from "./processes.ts";
import type { Subject } from "./rows.ts";
import { referenceCommand } from "./servers.ts";
import type { Workspace } from "./workspace.ts";

const SCRIPT = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";

/** One call by the Inspector, which starts the server for it. */
export async function inspectorCall(workspace: Workspace, server: "toolcall" | "reference") {
  const path = await workspace.textFile(600);
  const { command, env } = server === "toolcall"
    ? await toolcall(workspace, ["mcp", ...readFlags(workspace)])
    : { command: await referenceCommand(workspace), env: {} };
  const [tool, key] = server === "toolcall" ? ["Read", "file_path"] : ["read_text_file", "path"];
  const call = ["--method", "tools/call", "--tool-name", tool, "--tool-arg", `${key}=${path}`];
  return {
    command: [...await nodeScript("inspector", SCRIPT), "--cli", ...command, ...call],
    // The Inspector keeps a catalogue in HOME.
    env: { ...env, HOME: workspace.directory },
  };
}

/** A subject whose figure is the calls a second that Inspector's `--load` counts, ten at once. */
export async function inspectorLoad(
  workspace: Workspace,
  server: "toolcall" | "reference",
): Promise<Subject> {
  const { command: [file, ...args], env } = await inspectorCall(workspace, server);
  const load = ["--load", "--load-requests", "1000", "--load-concurrency", "10"];
  return {
    unit: "calls/s",
    async measure() {
      const { stdout, stderr, success } = await new Deno.Command(file!, {
        args: [...args, ...load],
        env: environmentFor(env),
        clearEnv: true,
        stdin: "null",
      }).output();
      const [text, words] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
      if (!success) throw new Error(words!.trim().slice(-200));
      const { throughput, ok, requests } = JSON.parse(text!);
      if (ok !== requests) throw new Error(`${requests - ok} of ${requests} calls failed`);
      return throughput;
    },
  };
}
