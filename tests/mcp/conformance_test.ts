import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { temporaryDirectory } from "../support/executable.ts";
import { conformanceProgram } from "./conformance/program.ts";
import { conformance, conformanceNext, isMissing } from "../support/packages.ts";
import { listen } from "../support/mcp/peer.ts";

const baseline = fileURLToPath(new URL("conformance/baseline.yml", import.meta.url));

/** How many scenarios this version of the suite has for servers. */
const SCENARIOS = 32;

Deno.test({
  name:
    "mcp server > MCP's own conformance suite passes, but for what the baseline has a reason for",
  ignore: await isMissing("conformance"),
  fn: async () => {
    using directory = temporaryDirectory();
    await using server = await listen(
      ["-A", "--http=localhost:0", `--state-dir=${directory.path}`],
      {
        program: await conformanceProgram(),
      },
    );
    const { command, args, env } = conformance(
      ...["server", "--url", server.url, "--suite", "all", "--expected-failures", baseline],
    );
    const run = await new Deno.Command(command, { args, env, cwd: directory.path }).output();
    const text = new TextDecoder().decode(run.stdout);
    const summary = text.slice(text.indexOf("=== SUMMARY"));
    if (run.code !== 0) throw new Error(summary);
    expect(summary.match(/^[✓✗] \S+:/gm)).toHaveLength(SCENARIOS);
  },
});

/** A command without blanks that runs our client: the suite splits what it is given at blanks. */
function launcher(directory: string): string {
  const client = fileURLToPath(new URL("conformance/client.ts", import.meta.url));
  const path = `${directory}/client`;
  const command = [Deno.execPath(), "run", "-A", "--quiet", client]
    .map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  Deno.writeTextFileSync(path, `#!/bin/sh\nexec ${command.join(" ")} "$@"\n`, { mode: 0o755 });
  return path;
}

/** How many scenarios this version of the suite has for clients. */
const CLIENT_SCENARIOS = 26;

Deno.test({
  name: "mcp client > the conformance suite passes, but for what the baseline has a reason for",
  ignore: await isMissing("conformance"),
  fn: async () => {
    using directory = temporaryDirectory();
    const { command, args, env } = conformance(
      ...["client", "--command", launcher(directory.path)],
      ...["--suite", "all", "--expected-failures", baseline],
    );
    const run = async () => {
      const { code, stdout } = await new Deno.Command(command, { args, env, cwd: directory.path })
        .output();
      return { code, text: new TextDecoder().decode(stdout) };
    };
    // One scenario wants a reconnection after half a second, and no later than at 0.7.
    let ended = await run();
    for (let tries = 0; tries < 3 && ended.code !== 0; tries++) ended = await run();
    const summary = ended.text.slice(ended.text.indexOf("=== SUITE SUMMARY"));
    if (ended.code !== 0) throw new Error(summary);
    expect(summary.match(/^[✓✗] \S+:/gm)).toHaveLength(CLIENT_SCENARIOS);
  },
});

Deno.test({
  name:
    "mcp client > leaves out tools whose x-mcp-header is invalid, as revision 2026-07-28 has it",
  ignore: await isMissing("conformance-next"),
  fn: async () => {
    using directory = temporaryDirectory();
    const { command, args, env } = conformanceNext(
      ...["client", "--command", launcher(directory.path)],
      ...["--scenario", "http-invalid-tool-headers", "--spec-version", "2026-07-28"],
    );
    const run = await new Deno.Command(command, { args, env, cwd: directory.path }).output();
    const text = new TextDecoder().decode(run.stdout) + new TextDecoder().decode(run.stderr);
    if (run.code !== 0) throw new Error(text);
    expect(text).toMatch(/Passed: 12\/12/);
  },
});
