/** A configuration with a megabyte of faults. */
// tier: machine
import { expect } from "@std/expect";
import { toolcall } from "../../../../support/executable.ts";
import { childrenCpuOf, unitsOf } from "../../../../support/measure.ts";
import { desk } from "./config_desk.ts";

Deno.test("config check > a megabyte of faults is reported completely, and delays no call", async (t) => {
  const rows: [name: string, value: Record<string, unknown>, count: number][] = [
    ["keys at the top", numbered("k"), 50_001],
    ["keys of servers", { mcpServers: numbered("s", {}) }, 50_000],
  ];
  for (const [name, value, count] of rows) {
    await t.step(name, async () => {
      using here = desk({ "toolcall.json": JSON.stringify(value, null, 1) });
      const units = await unitsOf(async () => {
        const { stdout } = await here.config("check");
        expect(stdout.trimEnd().split("\n").length).toBe(count);
        const run = await toolcall(["TodoWrite", "{}"], { cwd: here.path });
        expect(run.stdout).toContain('"isError":true');
      }, childrenCpuOf);
      // A check that looks through all faults for each fault takes some ten thousand units.
      expect(units).toBeLessThan(500);
    });
  }
});

function numbered(name: string, value: unknown = 1): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`${name}${at}`, value]));
}
