/** A tool of a tools directory that takes all processor time until its limit. */
// tier: machine
import { expect } from "@std/expect";
import { SHOUT, withTools } from "./shouting_tool.ts";

Deno.test("tools directory > a tool that never ends is ended at its time limit", async () => {
  using here = withTools({
    "spin.ts": SHOUT.replace('"Shout"', '"spin"').replace("20_000", "500")
      .replace(/run: .*/, "run() {\n    for (;;);\n  },").replace(/import .*loud.ts";\n/, ""),
  });
  expect(await here.run("spin", { text: "" }, "-A")).toMatchObject({ exit: 7 });
});
