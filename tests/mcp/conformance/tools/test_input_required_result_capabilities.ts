import { diagnosticTool, form, sampling } from "../diagnostic_tool.ts";

export default diagnosticTool(
  "test_input_required_result_capabilities",
  ["client"],
  async (ctx) => {
    const known = await ctx.client.capabilities();
    return JSON.stringify(
      await ctx.client.request({
        ...(known.includes("elicitation") && { name: form("Your name?", "name", "string") }),
        ...(known.includes("sampling") && { greeting: sampling("Generate a greeting", 50) }),
      }),
    );
  },
);
