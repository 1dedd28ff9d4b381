/** The cost of a tool of a tools directory, compared with a built-in tool in the same executor. */
// tier: machine
import { expect } from "@std/expect";
import { executable, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { canTrace, traceOf } from "../../../support/system_calls.ts";
import { until } from "../../../support/wait.ts";

const TOOL = `import { simpleTool } from "toolcall";
export default simpleTool("own", "Says hello.", () => "Hello");
`;

/** The built-in tool: it has no permission either, and runs in a Worker too. */
const BUILT_IN = ["call", "logit", '{"schema":{"type":"integer"},"text":"1"}'];

Deno.test({
  name:
    "second call > a tool starts as much as a built-in tool with the same plan, and reads little more",
  ignore: !canTrace(),
  async fn() {
    using directory = temporaryDirectory();
    const cwd = Deno.realPathSync(directory.path);
    Deno.mkdirSync(`${cwd}/tools`, { mode: 0o700 });
    Deno.writeTextFileSync(`${cwd}/tools/own.ts`, TOOL);
    Deno.chmodSync(`${cwd}/tools/own.ts`, 0o644);
    // Every call looks at the files of a directory that has changed within two seconds.
    const changed = Deno.statSync(`${cwd}/tools`).ctime!.getTime();
    expect(await until(() => Date.now() - changed > 2_000)).toBe(true);
    // Each start reads the log of the code cache, which other programs would change meanwhile.
    const env = { ...Deno.env.toObject(), TOOLCALL_CACHE_DIR: `${cwd}/cache` };
    const flags = ["--allow-read=."];
    const own = ["--tools-dir=tools", ...flags, "call", "own", "{}"];
    const builtIn = [...flags, ...BUILT_IN];
    const plans = [];
    for (const [at, args] of [own, builtIn].entries()) {
      const check = args.map((each) => each === "call" ? "check" : each);
      const { stdout } = await toolcall(check, { cwd, env });
      plans[at] = JSON.parse(stdout).plan;
      // The first call compiles.
      expect(await toolcall(args, { cwd, env })).toMatchObject({ code: 0 });
    }
    expect(plans).toEqual(["worker", "worker"]);
    const trace = (args: string[]) => traceOf([executable, ...args], { cwd, env });
    const [mine, theirs] = [own, builtIn].map(trace);
    // The first of these starts may empty the log.
    const [mineAgain, theirsAgain] = [own, builtIn].map(trace);
    for (const { code } of [mine!, theirs!]) expect(code).toBe(0);
    expect(mine!.stdout).toContain("Hello");
    expect(mine!.programs).toBe(theirs!.programs);
    expect(mine!.started).toBeLessThanOrEqual(theirs!.started + 1);
    const modules = [mine!, theirs!].map(({ opened }) =>
      new Set(
        opened.filter((path) => /(?<!checkpoint_code_cache)\.js$/.test(path))
          .map((path) => path.replace(/.*\//, "")),
      )
    );
    const more = modules[0]!.difference(modules[1]!);
    expect(more).toEqual(new Set(["runner_tools_directory_tools_directory.js"]));
    expect(Math.min(mine!.bytes, mineAgain!.bytes))
      .toBeLessThan(Math.min(theirs!.bytes, theirsAgain!.bytes) + 65_536);
  },
});
