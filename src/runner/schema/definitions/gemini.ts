import { type Definition, noted, type ToolToDefine } from "./definition.ts";
import { geminiSchema } from "./gemini_schema.ts";
import { objectSchema } from "./object_schema.ts";

/** A function declaration for Gemini, in the part of OpenAPI that every version of it takes. */
export function toGemini({ name, description, inputSchema }: ToolToDefine): Definition {
  const { schema, notes, losses } = objectSchema(inputSchema);
  const { description: said, ...rest } = schema;
  const hasArguments = Object.keys(schema.properties).length > 0;
  const own: string[] = [];
  if (!hasArguments && (schema["additionalProperties"] ?? false) !== false) {
    notes.push("takes any arguments");
    own.push("/: arguments of all names are taken, and none can be declared");
  }
  return {
    value: {
      name,
      description: noted([description, said].filter(Boolean).join(" "), notes),
      // An object without properties is refused, and no parameters are none.
      ...(hasArguments && { parameters: geminiSchema(rest, own) }),
    },
    losses: [...losses, ...own],
  };
}
