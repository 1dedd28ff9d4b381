import { diagnosticTool } from "../diagnostic_tool.ts";

export default diagnosticTool("test_logging_tool", [], () => {
  // deno-lint-ignore no-console -- A print becomes a log message.
  console.log("A log message");
  return "logged";
});
