/** Which flags, values of variables and entries of the configuration share a kept server. */
// tier: machine
import { expect } from "@std/expect";
import { isAlive } from "../../support/processes.ts";
import { nasty, world } from "../../support/mcp/client_world.ts";
import { echo, pids, stubborn } from "./kept_world.ts";

Deno.test("mcp client > other flags, values and entries start another kept server", async (t) => {
  using place = world(stubborn, { way: "kept" });
  await echo(place);
  const first = pids(place)[0]!;
  const entry = { ...nasty("stubborn", place.path), keepAlive: "5m" };
  const cases: [what: string, ends: boolean, call: () => Promise<unknown>][] = [
    ["flags", false, () => echo(place, ["--allow-mcp=it"])],
    ["more flags", false, () => echo(place, ["--allow-mcp", "--allow-read=."])],
    ["a deny flag", false, () => echo(place, ["--allow-mcp", "--deny-run=git"])],
    ["a session", false, () => echo(place, ["--allow-mcp", "--session=b"])],
    [
      "a value of a variable",
      true,
      () => place.run(["mcp__it__echo", '{"text":""}', "--allow-mcp"], { env: { TOKEN: "other" } }),
    ],
    ["an entry", true, () => {
      place.write({ it: { ...entry, timeout: 5_000 } });
      return echo(place);
    }],
  ];
  let count = 2;
  let last = first;
  for (const [what, ends, call] of cases) {
    await t.step(what, async () => {
      await call();
      const all = pids(place);
      expect(all).toHaveLength(count += 2);
      // The server of other flags continues to run. The server of an earlier entry or value has ended
      // before the new server began, which may need the same port or file.
      if (ends) expect(isAlive(last)).toBe(false);
      else expect(isAlive(first)).toBe(true);
      if (ends) last = all.at(-2)!;
    });
  }
  place.write({ it: entry });
  await t.step("the same flags in another order", async () => {
    await echo(place, ["--allow-read=.", "--allow-mcp"]);
    const before = pids(place).length;
    await echo(place, ["--allow-mcp", "--allow-read=."]);
    expect(pids(place)).toHaveLength(before);
  });
});
