import { diagnosticTool, form } from "../diagnostic_tool.ts";

export default diagnosticTool(
  "test_input_required_result_tampered_state",
  ["client"],
  async (ctx) => {
    await ctx.client.request({ confirm: form("Please confirm", "ok", "boolean") });
    return "confirmed";
  },
);
