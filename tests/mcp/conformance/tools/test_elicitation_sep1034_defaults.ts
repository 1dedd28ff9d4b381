import { diagnosticTool } from "../diagnostic_tool.ts";

export default diagnosticTool("test_elicitation_sep1034_defaults", ["client"], async (ctx) => {
  const properties = {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  };
  const params = { message: "Check these", requestedSchema: { type: "object", properties } };
  const answer = await ctx.client.request({ form: { method: "elicitation/create", params } });
  return `Elicitation completed: ${JSON.stringify(answer["form"])}`;
});
