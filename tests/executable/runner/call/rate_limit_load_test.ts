/** Rate limits and retries with many processes at once. */
// tier: machine
import { expect } from "@std/expect";
import type { Result } from "../../../support/executable.ts";
import { until } from "../../../support/wait.ts";
import { desk, SCOPED } from "./policy/desk.ts";
import { FAILING, tried } from "./policy/tries.ts";

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

const tries: [name: string, tool: string, args: Record<string, unknown>, count: number][] = [
  ["a temporary failure is retried", "shaky", FAILING, 3],
  ["a permanent failure is not retried", "shaky", { ...FAILING, stays: true }, 1],
  ["a failure of a tool that changes things is not retried", "shaky_change", FAILING, 1],
  ["a failure of an idempotent tool is retried", "shaky_idempotent", FAILING, 3],
  ["a failure of a tool that asks the user is not retried", "shaky_question", FAILING, 1],
  ["a call is retried no more often than its tool says", "shaky", { ...FAILING, failures: 9 }, 3],
];

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
