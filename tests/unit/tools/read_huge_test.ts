/** Read with files of up to 2 TiB. */
// tier: machine
import { expect } from "@std/expect";
import { unitsOf } from "../../support/measure.ts";
import { scratchDirectory } from "../../support/scratch_directory.ts";
import { bytes, type Input, textOf } from "./read_calls.ts";

Deno.test("read > J6 huge files take bounded memory and time", async (t) => {
  using directory = scratchDirectory();
  const path = `${directory.path}/file`;
  async function measured(input: Input): Promise<{ text: string; units: number; grown: number }> {
    const before = Deno.memoryUsage().rss;
    let text = "";
    const units = await unitsOf(async () => {
      text = await textOf(path, input).catch((error) => error.message);
    });
    return { text, units, grown: Deno.memoryUsage().rss - before };
  }
  await t.step("one line of 1 GiB", async () => {
    using file = Deno.openSync(path, { write: true, create: true });
    const chunk = new Uint8Array(1 << 20).fill(120);
    for (let i = 0; i < 80; i++) file.writeSync(chunk);
    file.truncateSync(1 << 30);
    const { text, units, grown } = await measured({});
    expect(text).toMatch(/^ {5}1\tx{2000} \[\.\.\. more than [\d,]+ characters cut\]\n/);
    expect(text).toContain("of at least 1 line, 1.0 GiB in all");
    expect(units).toBeLessThan(100);
    expect(grown).toBeLessThan(64 << 20);
  });
  await t.step("a sparse file of 2 TiB that begins with text", async () => {
    Deno.writeTextFileSync(path, "text\n".repeat(2000));
    Deno.truncateSync(path, 2 ** 41);
    const { text, units, grown } = await measured({ limit: 3 });
    expect(text).toContain(
      "[Shown up to line 3 of at least 2,000 lines, 2.0 TiB in all. To continue: offset 4]",
    );
    expect(units).toBeLessThan(100);
    expect(grown).toBeLessThan(64 << 20);
  });
  await t.step("a line far beyond 256 MiB", async () => {
    Deno.writeTextFileSync(path, "text\n".repeat(1000));
    using file = Deno.openSync(path, { write: true });
    file.seekSync(300 << 20, Deno.SeekMode.Start);
    file.writeSync(bytes("\nfar\n"));
    const { text, grown } = await measured({ offset: 1002 });
    expect(text).toBe("  1002\tfar\n");
    expect(grown).toBeLessThan(64 << 20);
  });
});
