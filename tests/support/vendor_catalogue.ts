/** The tools in the catalog that run the calls of vendors' tools. */
import { isObject } from "../../src/base/json/is_object.ts";
import { entries } from "../../tools/_generated/index.ts";

/** The tools that a vendor's call reaches. */
const TOOLS = ["memory", "str_replace_based_edit_tool", "str_replace_editor", "apply_patch"];

/** Whether the catalog has these tools and sessions of Bash. If not, it prints what is missing. */
export async function hasVendorTools(): Promise<boolean> {
  const missing = TOOLS.filter((name) => !entries.some((entry) => entry.name === name));
  const bash = await entries.find(({ name }) => name === "Bash")!.load();
  const properties = bash.metadata.inputSchema["properties"];
  if (!isObject(properties) || !Object.hasOwn(properties, "session")) missing.push("Bash.session");
  // deno-lint-ignore no-console -- The user must see why a test is skipped.
  if (missing.length > 0) console.log(`skipped: the catalogue lacks ${missing.join(", ")}`);
  return missing.length === 0;
}
