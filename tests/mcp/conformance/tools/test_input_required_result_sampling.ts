import { diagnosticTool, sampling } from "../diagnostic_tool.ts";

export default diagnosticTool("test_input_required_result_sampling", ["client"], async (ctx) => {
  const capital_question = sampling("What is the capital of France?", 100);
  return JSON.stringify(await ctx.client.request({ capital_question }));
});
