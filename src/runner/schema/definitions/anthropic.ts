import { type Definition, noted, type ToolToDefine } from "./definition.ts";
import { objectSchema } from "./object_schema.ts";
import { quote } from "../../../base/text/quote.ts";

/** What the names of arguments are made of, at the outermost level alone. */
const KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

/** A tool for Anthropic's messages. An argument whose name the API refuses is left out. */
export function toAnthropic({ name, description, inputSchema }: ToolToDefine): Definition {
  const { schema, notes, losses } = objectSchema(inputSchema);
  const all = Object.entries(schema.properties);
  const kept = all.filter(([key]) => KEY.test(key));
  const left = all.filter(([key]) => !KEY.test(key))
    .map(([key]) => `the argument ${quote(key)} cannot be given here`);
  const required = schema["required"];
  return {
    value: {
      name,
      description: noted(description, [...notes, ...left]),
      input_schema: {
        ...schema,
        properties: Object.fromEntries(kept),
        ...(Array.isArray(required) && { required: required.filter((key) => KEY.test(key)) }),
      },
    },
    losses: [...losses, ...left.map((note) => `/properties: ${note}`)],
  };
}
