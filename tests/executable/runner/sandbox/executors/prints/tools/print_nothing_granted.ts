import { simpleTool } from "../../../../../../../src/runner/registry/simple_tool.ts";
import { say } from "../say.ts";

// deno-lint-ignore no-console -- The test tries this function.
console.log("while print_nothing_granted is loaded");

export default simpleTool("print_nothing_granted", "Prints", say);
