import { UsageError } from "../../base/errors.ts";
import { isObject } from "../../base/json/is_object.ts";
import { quote } from "../../base/text/quote.ts";
import { definitionEntry } from "../registry/entry_of.ts";
import type { RegistryEntry } from "../registry/registered_tool.ts";

/**
 * Imports a module whose default export is a definition. A runner executes such a tool in a Worker,
 * so that the runtime confines its code. The module is also loaded in this thread, for the
 * declaration and for `needs`. In the Worker it can import other modules only statically.
 *
 * The Worker needs `"unstable": ["worker-options"]` in `deno.json`, or the flag
 * `--unstable-worker-options`. Without it, Deno ends the program at the first call.
 *
 * @throws {UsageError} if the URL is not absolute or the default export is not a definition.
 * @throws {InvalidToolError} if a field of the definition is missing or wrong.
 *
 * @example
 * ```ts
 * import { createRunner, importTool } from "@toolcall/toolcall";
 *
 * const module = `export default { name: "hello", title: "Hello", description: "Says hello.",
 *   category: "utility", sideEffect: "none", optionality: "optional", usageHint: "Always",
 *   inputSchema: { type: "object" }, examples: [], permissions: { kinds: [], needs: () => [] },
 *   run: () => "Hello" };`;
 * const tool = await importTool(`data:text/javascript,${encodeURIComponent(module)}`);
 * const runner = createRunner({ tools: [tool] });
 * const { isError } = await runner.call({ name: "hello" });
 * if (isError) throw new Error("The call failed");
 * ```
 */
export async function importTool(url: string | URL): Promise<RegistryEntry> {
  const href = String(url);
  if (!URL.canParse(href)) {
    throw new UsageError(
      `Cannot import the tool ${quote(href, 200)}: give a URL, such as ` +
        'import.meta.resolve("./tool.ts")',
    );
  }
  const { default: definition } = await import(href) as { default?: unknown };
  if (!isObject(definition)) {
    throw new UsageError(
      `Cannot use ${quote(href, 200)} as a tool: its default export is not a definition of ` +
        "defineTool or simpleTool",
    );
  }
  return definitionEntry(definition, href);
}
