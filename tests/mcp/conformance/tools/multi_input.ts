import { form, taskTool } from "../diagnostic_tool.ts";

export default taskTool("multi_input", ["client"], async (ctx) =>
  JSON.stringify(
    await ctx.client.request({
      name: form("Your name?", "name", "string"),
      consent: form("Do you agree?", "confirm", "boolean"),
    }),
  ));
