import { type Definition, noted, type ToolToDefine } from "./definition.ts";
import { objectSchema } from "./object_schema.ts";

/** A tool for OpenAI's Responses. */
export function toResponses({ name, description, inputSchema }: ToolToDefine): Definition {
  const { schema, notes, losses } = objectSchema(inputSchema);
  return {
    value: {
      type: "function",
      name,
      description: noted(description, notes),
      parameters: schema,
      // It would be strict by default, which takes no optional arguments.
      strict: false,
    },
    losses,
  };
}
