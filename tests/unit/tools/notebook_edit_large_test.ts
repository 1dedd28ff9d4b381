/** NotebookEdit with notebooks of tens of mebibytes. */
// tier: machine
import { expect } from "@std/expect";
import { unitsOf } from "../../support/measure.ts";
import { markdown, notebook, tried } from "./notebook_calls.ts";

Deno.test("notebook edit > large notebooks take bounded time", async (t) => {
  const deep = '{"deep": ' + "[".repeat(200_000) + "]".repeat(200_000) + "}";
  const inDepth = notebook(`{"cell_type": "markdown", "metadata": ${deep}, "source": "x"}`);
  const numbers = `{"cell_type": "markdown", "metadata": {"n": [${
    "1,".repeat(4 << 20)
  }1]}, "source": "x"}`;
  const picture =
    `{"cell_type": "code", "execution_count": 1, "metadata": {}, "source": "x", "outputs": [
    {"output_type": "display_data", "metadata": {}, "data": {"image/png": "${
      "A".repeat(30 << 20)
    }"}}]}`;
  const slashes = `{"cell_type": "markdown", "metadata": {}, "source": "${
    "\\\\".repeat(8 << 20)
  }"}`;
  const cells = Array.from({ length: 50_000 }, () => markdown("same"));
  const rows: [name: string, before: string, cell_id: string][] = [
    ["200,000 brackets", inDepth, "cell-1"],
    ["4 million numbers", notebook(numbers), "cell-1"],
    ["a picture of 30 MiB", notebook(picture), "cell-1"],
    ["8 million backslashes", notebook(slashes), "cell-1"],
    ["50,000 cells of the same id", notebook(...cells), "cell-50000"],
  ];
  for (const [name, before, cell_id] of rows) {
    await t.step(name, async () => {
      let [said, text] = ["", ""];
      const units = await unitsOf(async () => {
        [said, text] = await tried(before, { cell_id, new_source: "changed" });
      });
      expect(units).toBeLessThan(1000);
      expect(said).toMatch(/^Edited "\/book": replaced cell \d+ /);
      expect(said.length).toBeLessThan(2000);
      expect(text).toContain('"source": "changed"');
    });
  }
});
