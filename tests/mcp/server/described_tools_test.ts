/** The definition of each tool, by the command that describes it. */
// tier: machine
import { expect } from "@std/expect";
import { oneLine, toolcall } from "../../support/executable.ts";
import { type Listed, listed } from "./listed_tools.ts";

Deno.test("tools/list > the command describe prints the same definition of each tool", async () => {
  const overMcp = await listed();
  expect(overMcp.length).toBeGreaterThan(30);
  for (const { name } of overMcp) {
    const one = oneLine(await toolcall(["describe", name, "--format=mcp"])) as Listed;
    expect(one).toEqual(overMcp.find((tool) => tool.name === name));
  }
});
