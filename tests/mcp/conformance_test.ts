import { expect } from "@std/expect";
import { temporaryFolder } from "../executable.ts";
import { conformanceProgram } from "./conformance/program.ts";
import { conformance, isMissing, type ServerEntry } from "./packages.ts";

const baseline = new URL("conformance/baseline.yml", import.meta.url).pathname;

/** How many scenarios this version of the suite has for servers. */
const SCENARIOS = 32;

interface Listening extends AsyncDisposable {
  url: string;
}

/** Starts an MCP server over HTTP and waits until it says where. */
async function listen({ command, args }: ServerEntry, state: string): Promise<Listening> {
  const child = new Deno.Command(command, {
    args: [...args, "mcp", "-A", "--http=localhost:0", `--state-dir=${state}`],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const lines = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!/http:\S+\s/.test(text)) {
    const { value, done } = await lines.read();
    if (done) throw new Error(`The server ended: ${text}`);
    text += value;
  }
  return {
    url: /http:\S+/.exec(text)![0],
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
      await lines.cancel();
    },
  };
}

Deno.test({
  name:
    "mcp server > MCP's own conformance suite passes, but for what the baseline has a reason for",
  ignore: await isMissing("conformance"),
  fn: async () => {
    using folder = temporaryFolder();
    await using server = await listen(await conformanceProgram(), folder.path);
    const { command, args, env } = conformance(
      ...["server", "--url", server.url, "--suite", "all", "--expected-failures", baseline],
    );
    const run = await new Deno.Command(command, { args, env, cwd: folder.path }).output();
    const text = new TextDecoder().decode(run.stdout);
    const summary = text.slice(text.indexOf("=== SUMMARY"));
    if (run.code !== 0) throw new Error(summary);
    expect(summary.match(/^[✓✗] \S+:/gm)).toHaveLength(SCENARIOS);
  },
});
