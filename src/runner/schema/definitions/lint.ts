import { isObject } from "../../../base/json/is_object.ts";
import type { JsonObject } from "./definition.ts";
import { definitionsFor } from "./apis.ts";
import { MAX_OPENAI_DESCRIPTION } from "./model_description.ts";
import { type Api, apis } from "./formats.ts";
import type { ToolMetadata } from "../../registry/registered_tool.ts";
import { isApiName } from "../../registry/api_names.ts";
import { quote } from "../../../base/text/quote.ts";

/** A fault in the definition of a tool. */
export interface LintFinding {
  /** The API. */
  api: Api;
  /** The tool's own name. Empty for a fault of the whole list. */
  tool: string;
  /** The reason why the API rejects it, or the part that is only put into words. */
  problem: string;
}

/** The most tools that OpenAI's APIs take. */
const MAX_TOOLS = 128;

/** The keywords of Gemini's schemas. */
const GEMINI_KEYWORDS = [
  ...["type", "nullable", "description", "format", "enum", "items", "minItems", "maxItems"],
  ...["properties", "required", "minProperties", "maxProperties", "minimum", "maximum"],
  ...["minLength", "maxLength", "pattern", "anyOf"],
];

/**
 * Finds what the APIs would reject in the exported definitions of tools, and what they cannot
 * express. `names` are the tools' names for the APIs.
 */
export function lint(
  tools: readonly ToolMetadata[],
  names: ReadonlyMap<string, string>,
): LintFinding[] {
  return apis.flatMap((api) => {
    const definitions = definitionsFor(api, tools, names);
    const findings = definitions.flatMap(({ value, losses }, place) => {
      const tool = tools[place]!.name;
      const problems = [...problemsOf(api, value), ...losses];
      return problems.map((problem) => ({ api, tool, problem }));
    });
    const isMany = (api === "openai" || api === "responses") && tools.length > MAX_TOOLS;
    const problem = `${tools.length} tools, but at most ${MAX_TOOLS} are accepted`;
    return isMany ? [...findings, { api, tool: "", problem }] : findings;
  });
}

function problemsOf(api: Api, definition: JsonObject): string[] {
  const plain = plainDefinition(api, definition);
  const given = plain["parameters"] ?? plain["input_schema"] ?? plain["inputSchema"];
  const schema = api === "bedrock" ? (given as JsonObject)["json"] : given;
  const isNamed = api === "mcp"
    ? /^[A-Za-z0-9_.-]{1,128}$/.test(plain.name)
    : isApiName(plain.name);
  const isOpenAi = api === "openai" || api === "responses";
  const length = plain.description.length;
  return [
    ...(isNamed ? [] : [`the name ${quote(plain.name)} is not one that it accepts`]),
    ...(isOpenAi && length > MAX_OPENAI_DESCRIPTION
      ? [
        `the description has ${length} characters, but at most ${MAX_OPENAI_DESCRIPTION} are accepted`,
      ]
      : []),
    ...(schema === undefined ? [] : schemaProblems(api, isObject(schema) ? schema : {})),
  ];
}

/** The part of a definition that has the name, the description and the schema. */
function plainDefinition(
  api: Api,
  definition: JsonObject,
): { name: string; description: string } & JsonObject {
  const [[key, value] = ["", {}]] = Object.entries(definition);
  const plain = api === "openai" || api === "bedrock"
    ? definition["function"] ?? definition["toolSpec"]
    : api === "ai-sdk"
    ? { name: key, ...value as JsonObject }
    : definition;
  return plain as { name: string; description: string } & JsonObject;
}

function schemaProblems(api: Api, schema: JsonObject): string[] {
  if (api === "gemini") return geminiProblems(schema, "/");
  const refused = api === "mcp" ? [] : ["anyOf", "oneOf", "allOf", "enum", "not"];
  const keys = Object.keys(isObject(schema["properties"]) ? schema["properties"] : {});
  return [
    ...(schema["type"] === "object" ? [] : ['the schema is not of the type "object"']),
    ...refused.filter((keyword) => Object.hasOwn(schema, keyword))
      .map((keyword) => `${quote(keyword)} is at the outermost level`),
    ...(api === "anthropic" ? keys.filter((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key)) : [])
      .map((key) => `the argument ${quote(key)} has a name that it rejects`),
    ...(api === "mcp" ? [] : arraysWithoutItems(schema, "")),
  ];
}

function arraysWithoutItems(schema: unknown, path: string): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const isBare = (schema as JsonObject)["type"] === "array" && !("items" in schema);
  const inside = Object.entries(schema).flatMap(([key, value]) =>
    ["default", "examples", "enum", "const"].includes(key)
      ? []
      : arraysWithoutItems(value, `${path}/${key}`)
  );
  return isBare ? [`${path}: an array without "items"`, ...inside] : inside;
}

function geminiProblems(schema: JsonObject, path: string): string[] {
  const { type, anyOf, properties, required, items, enum: values, format } = schema;
  const keys = Object.keys(isObject(properties) ? properties : {});
  const at = (problem: string, isSo: boolean) => isSo ? [`${path}: ${problem}`] : [];
  const isText = (each: unknown) => typeof each === "string" && each !== "";
  const isTexts = type === "STRING" && Array.isArray(values) && values.every(isText);
  const isFormat = type !== "STRING" || format === undefined || format === "date-time";
  const isKnown = !Array.isArray(required) || required.every((key) => keys.includes(key));
  const children: [string, unknown][] = [
    ...Object.entries(isObject(properties) ? properties : {}),
    ...(items === undefined ? [] : [["items", items] as [string, unknown]]),
    ...(Array.isArray(anyOf)
      ? anyOf.map((each, place): [string, unknown] => [`${place}`, each])
      : []),
  ];
  return [
    ...Object.keys(schema).filter((key) => !GEMINI_KEYWORDS.includes(key))
      .map((key) => `${path}: ${quote(key)} is not known`),
    ...at("no type", type === undefined && anyOf === undefined),
    ...at(
      "a choice has other keywords beside it",
      anyOf !== undefined && Object.keys(schema).length > 1,
    ),
    ...at("an object without properties", type === "OBJECT" && keys.length === 0),
    ...at("an array without items", type === "ARRAY" && items === undefined),
    ...at(
      "properties of a value that is not an object",
      type !== "OBJECT" && properties !== undefined,
    ),
    ...at("a list of values that are not all strings", values !== undefined && !isTexts),
    ...at(`the format ${format}`, !isFormat),
    ...at("a required property is not defined", !isKnown),
    ...children.flatMap(([key, child]) =>
      geminiProblems(child as JsonObject, `${path === "/" ? "" : path}/${key}`)
    ),
  ];
}
