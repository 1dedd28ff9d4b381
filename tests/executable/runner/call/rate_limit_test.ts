/** Rate limits and retries of the policy tests' tools, in many processes. */
import { expect } from "@std/expect";
import { type Result, type Run, temporaryDirectory } from "../../../support/executable.ts";
import { Peer } from "../../../support/mcp/peer.ts";
import { until } from "../../../support/wait.ts";
import { policyProgram } from "./policy/program.ts";

const programDirectory = temporaryDirectory();
globalThis.addEventListener("unload", () => programDirectory[Symbol.dispose]());
const program = await policyProgram(programDirectory.path);

/** The outcome of a call of the program. */
interface Called extends Result {
  exit: number;
  text: string;
}

/** A directory with its own state, and functions that call the tools there. */
function desk(flags: string[] = []) {
  const directory = temporaryDirectory();
  const all = [...flags, `--state-dir=${directory.path}/state`];
  const lines = `${directory.path}/lines`;
  const command = (args: string[], env: Record<string, string> = {}) =>
    new Deno.Command(program, {
      args,
      env,
      cwd: directory.path,
      ...{ stdin: "null", stdout: "piped", stderr: "piped" },
    });
  const run = async (args: string[], env?: Record<string, string>): Promise<Run> => {
    const { code, stdout, stderr } = await command(args, env).output();
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  };
  return {
    path: directory.path,
    lines,
    command,
    run,
    /** Returns how many calls of the tool `limited` have begun. */
    begun: () => linesOf(lines),
    async call(
      name: string,
      args: Record<string, unknown> = { path: "lines" },
      { own = all, env = {} }: { own?: string[]; env?: Record<string, string> } = {},
    ): Promise<Called> {
      const { code, stdout, stderr } = await run([...own, name, JSON.stringify(args)], env);
      if (stdout === "") throw new Error(stderr);
      const result = JSON.parse(stdout) as Result;
      return { ...result, exit: code, text: result.content[0]!.text };
    },
    serve: () => Peer.start(all, { program: { command: program, args: [] }, cwd: directory.path }),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

function linesOf(path: string): number {
  try {
    return Deno.readTextFileSync(path).split("\n").length - 1;
  } catch {
    return 0;
  }
}

/** The flag of a call that may write in its working directory. */
const SCOPED = "--allow-write=.";

Deno.test("rate limit > 40 concurrent processes begin only as many calls as allowed, by name or alias", async () => {
  using it = desk([SCOPED]);
  const start = Date.now();
  const results = await Promise.all(
    Array.from({ length: 40 }, (_, at) => it.call(at % 2 === 0 ? "limited" : "restrained")),
  );
  expect(results.filter(({ exit }) => exit === 0)).toHaveLength(10);
  expect(it.begun()).toBe(10);
  const refused = results.filter(({ exit }) => exit === 8);
  expect(refused).toHaveLength(30);
  // A second is for rounding.
  const shortestMs = 600_000 - (Date.now() - start) - 1_000;
  for (const { text, _meta } of refused) {
    expect(text).toMatch(
      /^Cannot call "limited" now: at most 10 calls may start within 600 s; try again in \d+ s$/,
    );
    const { code, tool, rateLimit, retryAfterMs } = _meta!["toolcall/error"];
    expect({ code, tool, rateLimit }).toEqual({
      code: "unavailable",
      tool: "limited",
      rateLimit: { calls: 10, windowMs: 600_000 },
    });
    expect(retryAfterMs).toBeGreaterThan(shortestMs);
    expect(retryAfterMs).toBeLessThanOrEqual(600_000);
  }
  // The variable tells a child process that its call is counted. A caller cannot set it.
  for (const TOOLCALL_COUNTED of ["1", String(Deno.pid + 1)]) {
    expect((await it.call("limited", undefined, { env: { TOOLCALL_COUNTED } })).exit).toBe(8);
  }
});

for (const flags of [["-A"], [SCOPED]]) {
  Deno.test(`rate limit > a server, processes, inner calls and tasks share one count, under ${flags}`, async () => {
    using it = desk(flags);
    await using server = it.serve();
    await server.initialize();
    const args = { path: "lines" };
    const later = { ...args, run_in_background: true };
    const served = async (name: string, input: Record<string, unknown>) =>
      (await server.call(name, input)).result as Result;
    const ways: [string, () => Promise<Result>][] = [
      ["server", () => served("limited", args)],
      ["server, inner", () => served("caller", args)],
      ["server, background", () => served("restrained", later)],
      ["process", () => it.call("limited")],
      ["process, background", () => it.call("limited", later)],
    ];
    for (let round = 0; round < 2; round++) {
      const results = await Promise.all(ways.map(([, way]) => way()));
      expect(results.filter(({ isError }) => isError)).toEqual([]);
    }
    const results = await Promise.all(ways.map(async ([name, way]) => ({ name, ...await way() })));
    for (const { name, isError, content } of results) {
      const said = content[0]!.text;
      expect({ name, isError, said }).toMatchObject({ name, isError: true });
      expect(said).toContain("at most 10 calls may start");
    }
    // The result of a background call comes before its task runs.
    await until(() => it.begun() >= 10);
    expect(it.begun()).toBe(10);
  });
}

Deno.test("rate limit > refused, invalid and checked calls are not counted", async () => {
  using it = desk(["-A"]);
  const state = `--state-dir=${it.path}/state`;
  const args = JSON.stringify({ path: "lines" });
  const [refused, checked] = await Promise.all([
    Promise.all([
      it.call("limited", {}),
      it.call("limited", undefined, { own: [state] }),
      it.call("limited", undefined, { own: ["-A", "--deny-write=.", state] }),
    ]),
    it.run(["check", "-A", state, "limited", args]),
  ]);
  expect(refused.map(({ exit }) => exit)).toEqual([5, 6, 6]);
  expect(checked.code).toBe(0);
  expect(JSON.parse(checked.stdout).policy).toEqual({
    ...{ timeoutMs: 300_000, maxRetries: 0 },
    rateLimit: { calls: 10, windowMs: 600_000 },
  });
  await using server = it.serve();
  await server.initialize();
  const results = await Promise.all(
    Array.from({ length: 11 }, () => server.call("limited", { path: "lines" })),
  );
  expect(results.filter(({ result }) => !result.isError)).toHaveLength(10);
});

Deno.test("rate limit > a call fails when its count cannot be stored", async () => {
  using it = desk();
  Deno.writeTextFileSync(`${it.path}/file`, "");
  const occupied = await it.call("limited", undefined, {
    own: [SCOPED, `--state-dir=${it.path}/file`],
  });
  expect(occupied.exit).toBe(8);
  expect(occupied.text).toContain(
    'Cannot call "limited": its calls are limited and cannot be counted: Cannot create the state',
  );
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { denoDir } = JSON.parse(new TextDecoder().decode(stdout));
  const homeless = await it.call("limited", undefined, {
    own: [SCOPED],
    env: { HOME: "", XDG_STATE_HOME: "", DENO_DIR: denoDir },
  });
  expect(homeless.exit).toBe(8);
  expect(homeless.text).toContain("cannot be counted: Cannot determine the state directory");
  expect(homeless.text).toContain("--state-dir=DIR");
  expect(it.begun()).toBe(0);
});

const FAILING = { path: "tries", failures: 2 };

const tries: [name: string, tool: string, args: Record<string, unknown>, count: number][] = [
  ["a temporary failure is retried", "shaky", FAILING, 3],
  ["a permanent failure is not retried", "shaky", { ...FAILING, stays: true }, 1],
  ["a failure of a tool that changes things is not retried", "shaky_change", FAILING, 1],
  ["a failure of an idempotent tool is retried", "shaky_idempotent", FAILING, 3],
  ["a failure of a tool that asks the user is not retried", "shaky_question", FAILING, 1],
  ["a call is retried no more often than its tool says", "shaky", { ...FAILING, failures: 9 }, 3],
];

/** Runs a call in a new directory. Returns its result, and the number of its tries. */
async function tried(
  flags: string[],
  call: (it: ReturnType<typeof desk>) => Promise<Result>,
): Promise<{ result: Result; count: number }> {
  using it = desk(flags);
  return { result: await call(it), count: linesOf(`${it.path}/tries`) };
}

function retriesOf({ _meta }: Result): unknown {
  return (_meta as Record<string, unknown> | undefined)?.["toolcall/retries"] ??
    _meta?.["toolcall/error"]?.["retries"];
}

Deno.test("retries > the same failures are retried in the engine's thread and in another thread", async (t) => {
  const all = await Promise.all(
    tries.map(([, tool, args]) =>
      Promise.all([["-A"], [SCOPED]].map((flags) => tried(flags, (it) => it.call(tool, args))))
    ),
  );
  for (const [at, [name, , args, count]] of tries.entries()) {
    await t.step(name, () => {
      const succeeds = count === 3 && args["failures"] === 2;
      const failure = count === 3 ? "It shakes at try 3; tried 3 times" : "It shakes at try 1";
      for (const each of all[at]!) {
        expect(each.count).toBe(count);
        expect(each.result.isError).toBe(!succeeds);
        expect(each.result.content[0]!.text).toBe(succeeds ? "Done at try 3" : failure);
        expect(retriesOf(each.result)).toBe(count === 3 ? 2 : undefined);
      }
    });
  }
});

Deno.test("retries > a call that a server runs in another process is tried no more often", async () => {
  const { result, count } = await tried([SCOPED], async (it) => {
    await using server = it.serve();
    await server.initialize();
    return (await server.call("shaky", { ...FAILING, failures: 9 })).result as Result;
  });
  expect(result.content[0]!.text).toBe("It shakes at try 3; tried 3 times");
  expect(count).toBe(3);
});

Deno.test("retries > a pause that does not fit into the time limit does not begin", async () => {
  using it = desk(["-A"]);
  const { exit, text, _meta } = await it.call("shaky", { ...FAILING, retry_after: 60_000 });
  expect(exit).toBe(1);
  expect(text).toBe(
    "It shakes at try 1; tried once, and the time limit leaves no 60 s to wait for the next try",
  );
  expect(_meta!["toolcall/error"]).toMatchObject({ retries: 0, retryAfterMs: 60_000 });
  expect(linesOf(`${it.path}/tries`)).toBe(1);
});
