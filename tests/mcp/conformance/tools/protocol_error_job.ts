import { taskTool } from "../diagnostic_tool.ts";

/** Uses a service without declaring it, which is an error of the program and not of the call. */
export default taskTool("protocol_error_job", [], async (ctx) => {
  await ctx.client.capabilities();
  return "The service was there";
});
