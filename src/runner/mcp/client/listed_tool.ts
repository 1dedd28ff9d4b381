import { isObject } from "../../../base/json/is_object.ts";
import { redactData, type Redactor } from "../../../base/text/redact.ts";
import { quote } from "../../../base/text/quote.ts";
import { apiNames } from "../../registry/api_names.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { headerFault } from "./header_parameters.ts";
import { toolName } from "./tool_names.ts";

type Schema = Record<string, unknown>;

/** A tool of a server as plain data, which can be shown and cached. */
export interface ListedTool {
  /** Its name at the server. */
  tool: string;
  /** Its name in the catalogue. */
  name: string;
  /** Its name for the models' APIs, if they do not accept `name`. */
  apiName?: string;
  /** A short name for people. */
  title: string;
  /** Its description. Without a description the tool can be called but is never listed. */
  description?: string;
  /** The JSON Schema of its arguments. */
  inputSchema: Schema;
  /** The JSON Schema of what it returns as data. */
  outputSchema?: Schema;
  /** True if it changes nothing, according to the server. */
  readOnly: boolean;
  /** True if its changes can be destructive, according to the server. */
  destructive?: boolean;
  /** True if repeating a call has no further effect, according to the server. */
  idempotent?: boolean;
  /** True if it interacts with an open set of external systems, according to the server. */
  openWorld?: boolean;
  /** True if a server of revision 2025-11-25 runs it only as a task. */
  runsAsTask?: boolean;
}

/** The result of parsing a server's list. */
export interface ParsedTools {
  /** The valid tools. */
  tools: ListedTool[];
  /** Messages about tools that were left out or cannot be called. */
  problems: string[];
}

/** The most characters of a schema and of a title. */
const [MAX_SCHEMA, MAX_TITLE] = [2 ** 20, 200];
/** The most problems of one server that are reported individually. */
const MAX_PROBLEMS = 20;

/** The origin of a list: the server's name, and what removes its secrets from a string. */
interface ListOrigin {
  server: string;
  redact: Redactor;
  /** True if calls copy arguments to header fields: over HTTP since revision 2026-07-28. */
  takesHeaders: boolean;
}

/** Parses the items of a server's list. Invalid tools are left out and reported. */
export function parseTools(items: readonly unknown[], of: ListOrigin): ParsedTools {
  const tools = new Map<string, ListedTool>();
  const problems: string[] = [];
  for (const item of items) {
    const tool = parseTool(item, of);
    if (typeof tool === "string") {
      problems.push(tool);
    } else if (tools.has(tool.name)) {
      problems.push(
        `the tool ${quote(tool.tool)} is listed more than once: only the first one is used`,
      );
    } else {
      tools.set(tool.name, tool);
      if (tool.description === undefined) {
        const how = `a call of ${quote(tool.name)} works`;
        problems.push(`the tool ${quote(tool.tool)} has no description and is not listed; ${how}`);
      }
    }
  }
  const more = problems.length - MAX_PROBLEMS;
  if (more > 0) problems.splice(MAX_PROBLEMS, more, `and ${more} more problems`);
  return { tools: withApiNames([...tools.values()]), problems };
}

/** Adds names for the models' APIs to the tools whose names the APIs would refuse. */
function withApiNames(tools: readonly ListedTool[]): ListedTool[] {
  const named = apiNames(tools.map((tool) => ({ name: tool.name, aliases: [], tool })));
  return [...named].map(([apiName, { tool }]) =>
    apiName === tool.name ? tool : { ...tool, apiName }
  );
}

/** Parses one item. Returns a message if it is invalid. */
function parseTool(
  item: unknown,
  { server, redact, takesHeaders }: ListOrigin,
): ListedTool | string {
  if (!isObject(item) || typeof item["name"] !== "string") {
    return "an item of its list is omitted: it has no name";
  }
  const { name: tool, title, description, inputSchema, outputSchema } = item;
  const annotations = isObject(item["annotations"]) ? item["annotations"] : {};
  const leftOut = (why: string) => `the tool ${quote(redact(tool))} is omitted: ${why}`;
  const name = toolName(server, tool);
  if (name === undefined) {
    return leftOut('its name must be 1 to 128 letters, digits, "_", "-", "." and "/"');
  }
  if (!isObject(inputSchema)) return leftOut("it has no input schema");
  for (const schema of [inputSchema, outputSchema]) {
    if ((JSON.stringify(schema) ?? "").length > MAX_SCHEMA) {
      return leftOut("its schema is longer than 1 MiB");
    }
  }
  const fault = takesHeaders ? headerFault(inputSchema) : undefined;
  if (fault !== undefined) return leftOut(redact(fault));
  const shown = [title, annotations["title"]].find((each) => typeof each === "string") ?? tool;
  const hint = (name: string, key: keyof ListedTool) =>
    typeof annotations[name] === "boolean" ? { [key]: annotations[name] } : {};
  const isDescribed = typeof description === "string" && description.trim() !== "";
  const readOnly = annotations["readOnlyHint"] === true;
  const execution = isObject(item["execution"]) ? item["execution"] : {};
  return {
    tool,
    name,
    title: escapeControls(redact(String(shown))).replaceAll("\n", " ").slice(0, MAX_TITLE),
    ...(isDescribed && { description: escapeControls(redact(description)) }),
    inputSchema: escapeTexts(redactData(inputSchema, redact)),
    ...(isObject(outputSchema) && { outputSchema: escapeTexts(redactData(outputSchema, redact)) }),
    readOnly,
    ...(!readOnly && hint("destructiveHint", "destructive")),
    ...hint("idempotentHint", "idempotent"),
    ...hint("openWorldHint", "openWorld"),
    ...(execution["taskSupport"] === "required" && { runsAsTask: true }),
  };
}

/** Escapes control and invisible characters in the texts for people; `key` is the value's keyword. */
function escapeTexts<T>(value: T, key = ""): T {
  // The values of these keywords are data, which must not change.
  if (["enum", "const", "default", "examples"].includes(key)) return value;
  if (typeof value === "string" && ["title", "description", "$comment"].includes(key)) {
    return escapeControls(value) as T;
  }
  if (Array.isArray(value)) return value.map((each) => escapeTexts(each)) as T;
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, escapeTexts(each, key)]);
  return Object.fromEntries(entries) as T;
}
