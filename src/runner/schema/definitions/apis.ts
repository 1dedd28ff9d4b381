import { toMcp } from "./mcp.ts";
import type { ToolMetadata } from "../../registry/registered_tool.ts";
import { type ApiDefinition, type JsonObject, withNotes } from "./definition.ts";
import { toObjectSchema } from "./object_schema.ts";
import { quote } from "../../../base/text/quote.ts";
import { toGeminiSchema } from "./gemini_schema.ts";
import type { Api } from "./formats.ts";

/** A tool with a name that every API takes. Its schema may be of any draft. */
type ToolToDefine = Required<Pick<ToolMetadata, "name" | "description" | "inputSchema">>;

const forms: Readonly<Record<Exclude<Api, "mcp">, (tool: ToolToDefine) => ApiDefinition>> = {
  openai: toOpenAi,
  responses: toResponses,
  anthropic: toAnthropic,
  gemini: toGemini,
  bedrock: toBedrock,
  "ai-sdk": toAiSdk,
};

/**
 * The definitions of tools for an API, in their order. `names` are the tools' names for the
 * models' APIs by their own names: MCP clients hand them on to these APIs as they are.
 */
export function definitionsFor(
  api: Api,
  tools: readonly ToolMetadata[],
  names: ReadonlyMap<string, string>,
): ApiDefinition[] {
  return tools.map((tool) => {
    const name = names.get(tool.name) ?? tool.name;
    if (api === "mcp") return { value: { ...toMcp(tool, name) }, losses: [] };
    const { description = "", inputSchema } = tool;
    return forms[api]({ name, description, inputSchema });
  });
}

/** The list of tools in the form that a request to the API has. */
export function asToolList(api: Api, definitions: readonly ApiDefinition[]): unknown {
  const values: JsonObject[] = definitions.map(({ value }) => value);
  if (api === "mcp") return { tools: values };
  if (api === "gemini") return [{ functionDeclarations: values }];
  if (api === "bedrock") return { tools: values };
  return api === "ai-sdk" ? Object.assign({}, ...values) : values;
}

/** A tool for OpenAI's chat completions. */
function toOpenAi(tool: ToolToDefine): ApiDefinition {
  const { value, losses } = toFunction(tool);
  return { value: { type: "function", function: value }, losses };
}

/** A tool for OpenAI's Responses. The default is strict, which allows no optional arguments. */
function toResponses(tool: ToolToDefine): ApiDefinition {
  const { value, losses } = toFunction(tool);
  return { value: { type: "function", ...value, strict: false }, losses };
}

function toFunction({ name, description, inputSchema }: ToolToDefine): ApiDefinition {
  const { schema, notes, losses } = toObjectSchema(inputSchema);
  return {
    value: { name, description: withNotes(description, notes), parameters: schema },
    losses,
  };
}

/** A tool for Bedrock's Converse API, as an item of `toolConfig.tools`. */
function toBedrock({ name, description, inputSchema }: ToolToDefine): ApiDefinition {
  const { schema, notes, losses } = toObjectSchema(inputSchema);
  const toolSpec = {
    ...{ name, description: withNotes(description, notes), inputSchema: { json: schema } },
  };
  return { value: { toolSpec }, losses };
}

/** A tool by its name, as in `tools` of the AI SDK. Its function `jsonSchema` takes the schema. */
function toAiSdk({ name, description, inputSchema }: ToolToDefine): ApiDefinition {
  const { schema, notes, losses } = toObjectSchema(inputSchema);
  const tool = { description: withNotes(description, notes), inputSchema: schema };
  return { value: { [name]: tool }, losses };
}

/** The names of top-level arguments that the API of Anthropic accepts. */
const ANTHROPIC_KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

/** A tool for Anthropic's messages, without arguments whose names the API rejects. */
function toAnthropic({ name, description, inputSchema }: ToolToDefine): ApiDefinition {
  const { schema, notes, losses } = toObjectSchema(inputSchema);
  const all = Object.entries(schema.properties);
  const kept = all.filter(([key]) => ANTHROPIC_KEY.test(key));
  const left = all.filter(([key]) => !ANTHROPIC_KEY.test(key))
    .map(([key]) => `the argument ${quote(key)} cannot be given here`);
  const required = schema["required"];
  return {
    value: {
      name,
      description: withNotes(description, [...notes, ...left]),
      input_schema: {
        ...schema,
        properties: Object.fromEntries(kept),
        ...(Array.isArray(required) &&
          { required: required.filter((key) => ANTHROPIC_KEY.test(key)) }),
      },
    },
    losses: [...losses, ...left.map((note) => `/properties: ${note}`)],
  };
}

/** A function declaration for Gemini, in the part of OpenAPI that every version of it takes. */
function toGemini({ name, description, inputSchema }: ToolToDefine): ApiDefinition {
  const { schema, notes, losses } = toObjectSchema(inputSchema);
  const { description: said, ...rest } = schema;
  const hasArguments = Object.keys(schema.properties).length > 0;
  const own: string[] = [];
  if (!hasArguments && (schema["additionalProperties"] ?? false) !== false) {
    notes.push("takes any arguments");
    own.push("/: arguments of any name are accepted, and none can be declared");
  }
  return {
    value: {
      name,
      description: withNotes([description, said].filter(Boolean).join(" "), notes),
      // The API rejects an object without properties, but `parameters` may be missing.
      ...(hasArguments && { parameters: toGeminiSchema(rest, own) }),
    },
    losses: [...losses, ...own],
  };
}
