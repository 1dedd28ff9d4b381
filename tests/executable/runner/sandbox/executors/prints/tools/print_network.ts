import { simpleTool } from "../../../../../../../src/runner/registry/simple_tool.ts";
import { say } from "../say.ts";

// deno-lint-ignore no-console -- The test tries this function.
console.log("while print_network is loaded");

export default simpleTool("print_network", "Prints", say, {
  permissions: { kinds: ["net"], needs: () => [{ name: "net", host: "127.0.0.1:9" }] },
});
