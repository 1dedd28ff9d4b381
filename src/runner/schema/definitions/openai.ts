import { type Definition, noted, type ToolToDefine } from "./definition.ts";
import { objectSchema } from "./object_schema.ts";

/** A tool for OpenAI's chat completions. */
export function toOpenAi({ name, description, inputSchema }: ToolToDefine): Definition {
  const { schema, notes, losses } = objectSchema(inputSchema);
  const definition = { name, description: noted(description, notes), parameters: schema };
  return { value: { type: "function", function: definition }, losses };
}
