import { isObject } from "../../../base/json/is_object.ts";
import { quote } from "../../../base/text/quote.ts";
import { apiNames } from "../../registry/api_names.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { headerFault } from "./header_parameters.ts";
import { redactData, type Redactor } from "../../../base/text/redact.ts";
import { toolName } from "./tool_names.ts";

type Schema = Record<string, unknown>;

/** A tool of a server, as it is listed here: plain data, fit to be shown and kept. */
export interface ListedTool {
  /** Its name at the server. */
  tool: string;
  /** Its name here. */
  name: string;
  /** Its name here as the models' APIs take it, where that is another. */
  apiName?: string;
  /** A short name for people. */
  title: string;
  /** Its description. Without a description the tool can be called but is never listed. */
  description?: string;
  /** The JSON Schema of its arguments. */
  inputSchema: Schema;
  /** The JSON Schema of what it returns as data. */
  outputSchema?: Schema;
  /** Whether the server says that it changes nothing. */
  readOnly: boolean;
  /** Whether the server says that its changes can destroy something. */
  destructive?: boolean;
  /** Whether the server says that a second, equal call changes nothing more. */
  idempotent?: boolean;
  /** Whether the server says that it reaches what is not known beforehand. */
  openWorld?: boolean;
}

/** What a server's list came to. */
export interface ToolList {
  /** The tools that can be listed here. */
  tools: ListedTool[];
  /** What was left out, and what will not work, in words. */
  problems: string[];
}

/** The longest schema and the longest title, in characters. */
const [MAX_SCHEMA, MAX_TITLE] = [2 ** 20, 200];
/** How many problems of one server are told one by one. */
const MAX_PROBLEMS = 20;

/** The meta-schemas by whose rules arguments can be checked. */
export const DRAFTS: Readonly<Record<string, "draft-06" | "draft-07" | "2019-09" | "2020-12">> = {
  "http://json-schema.org/draft-06/schema": "draft-06",
  "http://json-schema.org/draft-07/schema": "draft-07",
  "https://json-schema.org/draft/2019-09/schema": "2019-09",
  "https://json-schema.org/draft/2020-12/schema": "2020-12",
};

/** The server that a list comes from. */
export interface ListingServer {
  /** Its name. */
  server: string;
  /** The mask that hides its secrets. */
  mask: Redactor;
  /** Whether calls carry arguments as header fields, too: over HTTP, from revision 2026-07-28 on. */
  takesHeaders: boolean;
}

/** Takes what a server lists apart: what is no tool, or has no fit name, is left out and told. */
export function toolList(items: readonly unknown[], of: ListingServer): ToolList {
  const tools = new Map<string, ListedTool>();
  const problems: string[] = [];
  for (const item of items) {
    const tool = toolOf(item, of);
    if (typeof tool === "string") {
      problems.push(tool);
    } else if (tools.has(tool.name)) {
      problems.push(`the tool ${quote(tool.tool)} is listed more than once: the first one counts`);
    } else {
      tools.set(tool.name, tool);
      const fault = schemaFault(tool.inputSchema);
      if (fault !== undefined) {
        problems.push(`the tool ${quote(tool.tool)} cannot be called: ${fault}`);
      }
    }
  }
  const more = problems.length - MAX_PROBLEMS;
  if (more > 0) problems.splice(MAX_PROBLEMS, more, `and ${more} more problems`);
  return { tools: withApiNames([...tools.values()]), problems };
}

/** The tools, each with a name for the models' APIs if they would refuse its own name. */
function withApiNames(tools: readonly ListedTool[]): ListedTool[] {
  const named = apiNames(tools.map((tool) => ({ name: tool.name, aliases: [], tool })));
  return [...named].map(([apiName, { tool }]) =>
    apiName === tool.name ? tool : { ...tool, apiName }
  );
}

/** The tool that an item is, or why it is left out. */
function toolOf(
  item: unknown,
  { server, mask, takesHeaders }: ListingServer,
): ListedTool | string {
  if (!isObject(item) || typeof item["name"] !== "string") {
    return "an item of its list is left out: it has no name";
  }
  const { name: tool, title, description, inputSchema, outputSchema } = item;
  const annotations = isObject(item["annotations"]) ? item["annotations"] : {};
  const leftOut = (why: string) => `the tool ${quote(mask(tool))} is left out: ${why}`;
  const name = toolName(server, tool);
  if (name === undefined) {
    return leftOut('its name has to be 1 to 128 letters, digits, "_", "-", "." and "/"');
  }
  if (!isObject(inputSchema)) return leftOut("it has no schema of its arguments");
  for (const schema of [inputSchema, outputSchema]) {
    if ((JSON.stringify(schema) ?? "").length > MAX_SCHEMA) {
      return leftOut("its schema is longer than 1 MiB");
    }
  }
  const fault = takesHeaders ? headerFault(inputSchema) : undefined;
  if (fault !== undefined) return leftOut(mask(fault));
  const shown = [title, annotations["title"]].find((each) => typeof each === "string") ?? tool;
  const hint = (name: string, key: keyof ListedTool) =>
    typeof annotations[name] === "boolean" ? { [key]: annotations[name] } : {};
  const isDescribed = typeof description === "string" && description.trim() !== "";
  const readOnly = annotations["readOnlyHint"] === true;
  return {
    tool,
    name,
    title: escapeControls(mask(String(shown))).replaceAll("\n", " ").slice(0, MAX_TITLE),
    ...(isDescribed && { description: escapeControls(mask(description)) }),
    inputSchema: visibleSchema(redactData(inputSchema, mask)),
    ...(isObject(outputSchema) && { outputSchema: visibleSchema(redactData(outputSchema, mask)) }),
    readOnly,
    ...(!readOnly && hint("destructiveHint", "destructive")),
    ...hint("idempotentHint", "idempotent"),
    ...hint("openWorldHint", "openWorld"),
  };
}

/** A schema whose words for people hold nothing that would not be seen. */
function visibleSchema(schema: Schema): Schema {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      // These are data, which has to stay what it is.
      if (["enum", "const", "default", "examples"].includes(key)) return [key, value];
      const isText = ["title", "description", "$comment"].includes(key);
      return [key, isText && typeof value === "string" ? escapeControls(value) : visible(value)];
    }),
  );
}

function visible(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(visible);
  return isObject(value) ? visibleSchema(value) : value;
}

/** Why arguments cannot be checked with a schema, as far as that is seen at once. */
export function schemaFault(schema: Schema): string | undefined {
  const { $schema } = schema;
  if ($schema !== undefined && !Object.hasOwn(DRAFTS, String($schema).replace(/#$/, ""))) {
    return `its schema is of ${
      quote(String($schema))
    }, and known are draft-06, draft-07, 2019-09 ` +
      "and 2020-12; nothing is fetched";
  }
  const own = new Set<unknown>();
  const others: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isObject(value)) return;
    if (typeof value["$id"] === "string") own.add(value["$id"].replace(/#$/, ""));
    const { $ref } = value;
    if (typeof $ref === "string" && /^[a-z][a-z0-9+.-]*:/i.test($ref)) others.push($ref);
    Object.values(value).forEach(visit);
  };
  visit(schema);
  const remote = others.find((ref) =>
    !own.has(ref.replace(/#.*$/, "")) && !Object.hasOwn(DRAFTS, ref.replace(/#.*$/, ""))
  );
  return remote && `its schema refers to ${quote(remote)}, which is not fetched`;
}
