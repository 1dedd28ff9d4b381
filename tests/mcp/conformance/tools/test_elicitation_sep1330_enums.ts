import { diagnosticTool } from "../diagnostic_tool.ts";

const values = ["option1", "option2", "option3"];
const titled = [
  { const: "value1", title: "First" },
  { const: "value2", title: "Second" },
  { const: "value3", title: "Third" },
];

export default diagnosticTool("test_elicitation_sep1330_enums", ["client"], async (ctx) => {
  const properties = {
    untitledSingle: { type: "string", enum: values },
    titledSingle: { type: "string", oneOf: titled },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: { type: "array", items: { type: "string", enum: values } },
    titledMulti: { type: "array", items: { anyOf: titled } },
  };
  const params = { message: "Choose", requestedSchema: { type: "object", properties } };
  const answer = await ctx.client.request({ form: { method: "elicitation/create", params } });
  return `Elicitation completed: ${JSON.stringify(answer["form"])}`;
});
