import { taskTool } from "../diagnostic_tool.ts";

export default taskTool("failing_job", [], () => {
  throw new Error("This job always fails");
});
