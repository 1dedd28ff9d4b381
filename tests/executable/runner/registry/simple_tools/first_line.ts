import { simpleTool } from "../../../../../src/runner/registry/simple_tool.ts";

/** Reads the file that it declares. Tries to use more if the arguments say so. */
export default simpleTool("first_line", "The first line of the file at path", firstLine, {
  permissions: {
    kinds: ["read"],
    needs: ({ path }) => [{ name: "read", path: String(path) }],
  },
});

function firstLine({ path, also, host }: Record<string, unknown>): unknown {
  if (also !== undefined) return Deno.readTextFileSync(String(also));
  if (host !== undefined) return fetch(String(host)).then((response) => response.text());
  return Deno.readTextFileSync(String(path)).split("\n")[0];
}
