/** A result of a server that has only structured data is shown as its JSON. */
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { modelDialects } from "../../../src/runner/dialect/incoming.ts";
import { world } from "../../support/mcp/client_world.ts";

const server = fileURLToPath(
  new URL("../../support/mcp/servers/any_schema.ts", import.meta.url),
);
const DATA = '{"v":1}';

const entry = (result: unknown) => ({
  command: Deno.execPath(),
  args: [
    ...["run", "-A", "--quiet", "--no-config", server],
    ...[JSON.stringify({ type: "object" }), JSON.stringify(result)],
  ],
});

const RESULTS = {
  empty: { content: [], structuredContent: { v: 1 } },
  blank: { content: [{ type: "text", text: "" }], structuredContent: { v: 1 } },
  both: { content: [{ type: "text", text: "own text" }], structuredContent: { v: 1 } },
};

Deno.test("structured results > each form but MCP's shows the data of a result without content", async () => {
  using here = world(() =>
    Object.fromEntries(Object.entries(RESULTS).map(([name, result]) => [name, entry(result)]))
  );
  for (const name of Object.keys(RESULTS)) {
    const stdin = JSON.stringify({ name: `mcp__${name}__echo`, arguments: {} });
    for (const format of [...modelDialects, "text"]) {
      const { stdout } = await here.run(["--allow-mcp", `--format=${format}`], { stdin });
      const shown = stdout.replaceAll("\\", "");
      expect({ name, format, data: shown.includes(DATA), text: shown.includes("own text") })
        .toEqual({ name, format, data: name !== "both", text: name === "both" });
    }
    const { content, structuredContent } = await here.call(`mcp__${name}__echo`);
    expect({ content, structuredContent }).toEqual(RESULTS[name as keyof typeof RESULTS]);
  }
});

Deno.test("structured results > submit shows the data in each form but MCP's", async () => {
  using here = world(() => ({ empty: entry(RESULTS.empty) }));
  const stdin = `${JSON.stringify({ name: "mcp__empty__echo", arguments: {} })}\n`;
  for (
    const [format, isShown] of [["openai", true], ["anthropic", true], ["mcp", false]] as const
  ) {
    const { stdout } = await here.run(["submit", "--allow-mcp", `--format=${format}`], { stdin });
    const hasText = stdout.replaceAll("\\", "").includes(`"${DATA}"`);
    expect({ format, hasText }).toEqual({ format, hasText: isShown });
  }
});
