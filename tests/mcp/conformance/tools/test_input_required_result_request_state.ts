import { diagnosticTool, form } from "../diagnostic_tool.ts";

export default diagnosticTool(
  "test_input_required_result_request_state",
  ["client"],
  async (ctx) => {
    await ctx.client.request({ confirm: form("Please confirm", "ok", "boolean") });
    return "state-ok";
  },
);
