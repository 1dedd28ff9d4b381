/** Results that MCP does not define: the error names the place, and shows no dump of a checker. */
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { ways, world } from "../../support/mcp/client_world.ts";

const server = fileURLToPath(
  new URL("../../support/mcp/servers/any_schema.ts", import.meta.url),
);

const ODD: [name: string, result: unknown, place: string][] = [
  ["an unknown type of content", { content: [{ type: "video", data: "" }] }, "/content/0"],
  ["a text without a text", { content: [{ type: "text" }] }, "/content/0"],
  ["content that is no list", { content: "text" }, "/content"],
  ["isError that is no boolean", { content: [], isError: "no" }, "/isError"],
  ["several faults", { content: [{}, {}, {}, {}, {}] }, "and 2 more"],
];

for (const way of ways) {
  Deno.test(`odd results > each is an error that a model can read: ${way}`, async () => {
    using here = world(() =>
      Object.fromEntries(
        ODD.map(([, result], place) => [`s${place}`, {
          command: Deno.execPath(),
          args: [
            ...["run", "-A", "--quiet", "--no-config", server],
            ...[JSON.stringify({ type: "object" }), JSON.stringify(result)],
          ],
        }]),
      ), { way });
    for (const [at, [name, , place]] of ODD.entries()) {
      const { exit, text } = await here.call(`mcp__s${at}__echo`);
      expect({
        name,
        exit,
        isNamed: text.includes(place),
        isDump: /[\[{]\s*[\n"]|invalid_union/.test(text),
      })
        .toEqual({ name, exit: 1, isNamed: true, isDump: false });
    }
  });
}
