import { toMcp } from "./mcp.ts";
import type { ToolMetadata } from "../../registry/registered_tool.ts";
import { type ApiDefinition, type JsonObject, withNotes } from "./definition.ts";
import { describeForModel, MAX_OPENAI_DESCRIPTION } from "./model_description.ts";
import { toObjectSchema } from "./object_schema.ts";
import { quote } from "../../../base/text/quote.ts";
import { toGeminiSchema } from "./gemini_schema.ts";
import type { Api } from "./formats.ts";

/** A tool with a name that every API takes. Its schema may be of any draft. */
type ToolToDefine = Pick<ToolMetadata, "name" | "description" | "usageHint" | "inputSchema"> & {
  /** Arguments of sample calls that the tool takes. */
  inputs: readonly JsonObject[];
};

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
 * models' APIs by their own names: MCP clients hand them on to these APIs as they are. `inputs` are
 * arguments of sample calls by the tools' own names, for the APIs that take such samples.
 */
export function definitionsFor(
  api: Api,
  tools: readonly ToolMetadata[],
  names: ReadonlyMap<string, string>,
  inputs: ReadonlyMap<string, readonly JsonObject[]> = new Map(),
): ApiDefinition[] {
  return tools.map((tool) => {
    const name = names.get(tool.name) ?? tool.name;
    if (api === "mcp") return { value: { ...toMcp(tool, name) }, losses: [] };
    return forms[api]({ ...tool, name, inputs: inputs.get(tool.name) ?? [] });
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

function toFunction(tool: ToolToDefine): ApiDefinition {
  const { schema, notes, losses } = toObjectSchema(tool.inputSchema);
  const description = describeForModel(tool, { notes, limit: MAX_OPENAI_DESCRIPTION });
  return { value: { name: tool.name, description, parameters: schema }, losses };
}

/** A tool for Bedrock's Converse API, as an item of `toolConfig.tools`. */
function toBedrock(tool: ToolToDefine): ApiDefinition {
  const { schema, notes, losses } = toObjectSchema(tool.inputSchema);
  const description = describeForModel(tool, { notes });
  const toolSpec = { name: tool.name, description, inputSchema: { json: schema } };
  return { value: { toolSpec }, losses };
}

/** A tool by its name, as in `tools` of the AI SDK. Its function `jsonSchema` takes the schema. */
function toAiSdk(tool: ToolToDefine): ApiDefinition {
  const { schema, notes, losses } = toObjectSchema(tool.inputSchema);
  const definition = { description: describeForModel(tool, { notes }), inputSchema: schema };
  return { value: { [tool.name]: definition }, losses };
}

/** The names of top-level arguments that the API of Anthropic accepts. */
const ANTHROPIC_KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

/** A tool for Anthropic's messages, without arguments whose names the API rejects. */
function toAnthropic(tool: ToolToDefine): ApiDefinition {
  const { schema, notes, losses } = toObjectSchema(tool.inputSchema);
  const all = Object.entries(schema.properties);
  const kept = all.filter(([key]) => ANTHROPIC_KEY.test(key));
  const left = all.filter(([key]) => !ANTHROPIC_KEY.test(key))
    .map(([key]) => `the argument ${quote(key)} cannot be given here`);
  const required = schema["required"];
  // The API rejects all definitions of a request if one sample does not match its schema.
  const inputs = tool.inputs.filter((input) =>
    Object.keys(input).every((key) => ANTHROPIC_KEY.test(key))
  );
  return {
    value: {
      name: tool.name,
      description: describeForModel(tool, { notes: [...notes, ...left] }),
      input_schema: {
        ...schema,
        properties: Object.fromEntries(kept),
        ...(Array.isArray(required) &&
          { required: required.filter((key) => ANTHROPIC_KEY.test(key)) }),
      },
      ...(inputs.length > 0 && { input_examples: inputs }),
    },
    losses: [...losses, ...left.map((note) => `/properties: ${note}`)],
  };
}

/** A function declaration for Gemini, in the part of OpenAPI that every version of it takes. */
function toGemini(tool: ToolToDefine): ApiDefinition {
  const { schema, notes, losses } = toObjectSchema(tool.inputSchema);
  const { description: said, ...rest } = schema;
  const hasArguments = Object.keys(schema.properties).length > 0;
  const own: string[] = [];
  if (!hasArguments && (schema["additionalProperties"] ?? false) !== false) {
    notes.push("takes any arguments");
    own.push("/: arguments of any name are accepted, and none can be declared");
  }
  return {
    value: {
      name: tool.name,
      description: withNotes([describeForModel(tool), said].filter(Boolean).join(" "), notes),
      // The API rejects an object without properties, but `parameters` may be missing.
      ...(hasArguments && { parameters: toGeminiSchema(rest, own) }),
    },
    losses: [...losses, ...own],
  };
}
