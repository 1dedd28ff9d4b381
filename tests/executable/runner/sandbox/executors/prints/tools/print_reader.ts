import { simpleTool } from "../../../../../../../src/runner/registry/simple_tool.ts";
import { say } from "../say.ts";

// deno-lint-ignore no-console -- This is what is tried.
console.log("while print_reader is loaded");

export default simpleTool("print_reader", "Prints", say, {
  permissions: { kinds: ["read"], needs: () => [{ name: "read", path: "." }] },
});
