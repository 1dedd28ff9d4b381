/** Tools of a tools directory that compute their time limit, and that run as background tasks. */
import { expect } from "@std/expect";
import { call, temporaryDirectory, toolcall } from "../../../support/executable.ts";

const SLOW = `import { defineTool } from "toolcall";

export default defineTool({
  name: "slow",
  title: "Slow",
  description: "Waits.",
  category: "utility",
  sideEffect: "none",
  optionality: "optional",
  usageHint: "When somebody has time",
  inputSchema: {
    type: "object",
    properties: {
      ms: { type: "integer", default: 0, description: "The time to wait." },
      limit: { type: "number", description: "The time limit." },
      run_in_background: { type: "boolean", description: "Whether to wait in the background." },
    },
    additionalProperties: false,
  },
  examples: [],
  permissions: { kinds: [], needs: () => [] },
  background: true,
  timeoutMs({ limit = 20_000 }) {
    if (limit === 13) throw new Error("13 is unlucky");
    return limit;
  },
  async run({ ms }, ctx) {
    console.log("begins");
    await new Promise((resolve) => setTimeout(resolve, ms));
    return \`in the background: \${ctx.background}\`;
  },
});
`;

/** A tools directory with the slow tool. */
function slowTool() {
  const directory = temporaryDirectory();
  const { path } = directory;
  Deno.mkdirSync(`${path}/tools`, { mode: 0o700 });
  Deno.writeTextFileSync(`${path}/tools/slow.ts`, SLOW);
  Deno.chmodSync(`${path}/tools/slow.ts`, 0o644);
  const flags = [`--tools-dir=${path}/tools`, `--state-dir=${path}/state`];
  return {
    path,
    flags,
    run: (args: Record<string, unknown>, ...more: string[]) =>
      call("slow", args, { flags: [...flags, ...more], cwd: path }),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

Deno.test("tools directory > a tool computes its time limit from the arguments", async () => {
  using here = slowTool();
  const under = async (flags: string[]) => {
    expect(await here.run({ ms: 1 }, ...flags)).toMatchObject({ exit: 0 });
    const late = await here.run({ ms: 600_000, limit: 200 }, ...flags);
    expect(late).toMatchObject({ exit: 7 });
    expect(late.text).toContain("200 ms");
    for (const limit of [0, -1]) {
      const wrong = await here.run({ limit }, ...flags);
      expect({ limit, exit: wrong.exit }).toEqual({ limit, exit: 8 });
      expect(wrong.text).toContain(`${here.path}/tools/slow.ts: "timeoutMs" must return a number`);
    }
    const unlucky = await here.run({ limit: 13 }, ...flags);
    expect(unlucky).toMatchObject({ exit: 5 });
    expect(unlucky.text).toContain("13 is unlucky");
  };
  const submitted = async () => {
    const { stdout } = await toolcall(["submit", ...here.flags], {
      cwd: here.path,
      stdin: '{"id":"1","name":"slow","arguments":{"ms":600000,"limit":200}}\n',
    });
    expect(stdout).toContain("200 ms");
  };
  await Promise.all([under([]), under(["-A"]), submitted()]);
});

Deno.test("tools directory > a tool runs as a background task", async () => {
  using here = slowTool();
  const started = await here.run({ ms: 10, run_in_background: true });
  expect(started).toMatchObject({ exit: 0, isError: false });
  const { id, timeoutMs } = (started._meta as unknown as {
    "toolcall/task": { id: string; timeoutMs: number };
  })["toolcall/task"];
  expect(timeoutMs).toBe(20_000);
  const read = await call("TaskOutput", { task_id: id, timeout: 300_000 }, {
    flags: here.flags,
    cwd: here.path,
  });
  expect(read.text).toContain("in the background: true");
});
