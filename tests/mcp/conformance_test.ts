import { expect } from "@std/expect";
import { temporaryFolder } from "../executable.ts";
import { conformanceProgram } from "./conformance/program.ts";
import { conformance, isMissing } from "./packages.ts";
import { listen } from "./peer.ts";

const baseline = new URL("conformance/baseline.yml", import.meta.url).pathname;

/** How many scenarios this version of the suite has for servers. */
const SCENARIOS = 32;

Deno.test({
  name:
    "mcp server > MCP's own conformance suite passes, but for what the baseline has a reason for",
  ignore: await isMissing("conformance"),
  fn: async () => {
    using folder = temporaryFolder();
    await using server = await listen(["-A", "--http=localhost:0", `--state-dir=${folder.path}`], {
      program: await conformanceProgram(),
    });
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
