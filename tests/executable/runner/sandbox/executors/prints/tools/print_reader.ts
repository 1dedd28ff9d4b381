import { simpleTool } from "../../../../../../../src/runner/registry/simple_tool.ts";
import { say } from "../say.ts";

// deno-lint-ignore no-console -- The test tries this function.
console.log("while print_reader is loaded");

export default simpleTool("print_reader", "Prints", say, {
  permissions: { kinds: ["read"], needs: () => [{ name: "read", path: "." }] },
});
