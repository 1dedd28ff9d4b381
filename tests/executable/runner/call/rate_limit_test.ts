/** Rate limits and retries of the policy tests' tools. */
import { expect } from "@std/expect";
import type { Result } from "../../../support/executable.ts";
import { desk, linesOf, SCOPED } from "./policy/desk.ts";
import { FAILING, tried } from "./policy/tries.ts";

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
