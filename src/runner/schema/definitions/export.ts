import { toMcp } from "../definitions.ts";
import type { ToolMetadata } from "../../registry/registered_tool.ts";
import { toAnthropic } from "./anthropic.ts";
import type { Definition, JsonObject, ToolToDefine } from "./definition.ts";
import { toGemini } from "./gemini.ts";
import { toOpenAi } from "./openai.ts";
import { toResponses } from "./responses.ts";

/** The APIs that definitions are made for. */
export const apis = ["mcp", "openai", "responses", "anthropic", "gemini"] as const;

/** One of {@link apis}. */
export type Api = (typeof apis)[number];

const forms: Readonly<Record<Exclude<Api, "mcp">, (tool: ToolToDefine) => Definition>> = {
  openai: toOpenAi,
  responses: toResponses,
  anthropic: toAnthropic,
  gemini: toGemini,
};

/**
 * The definitions of tools for an API, in their order. `names` are the tools' names for the
 * models' APIs by their own names: MCP clients hand them on to these APIs as they are.
 */
export function definitionsFor(
  api: Api,
  tools: readonly ToolMetadata[],
  names: ReadonlyMap<string, string>,
): Definition[] {
  return tools.map((tool) => {
    const name = names.get(tool.name) ?? tool.name;
    if (api === "mcp") return { value: { ...toMcp(tool, name) }, losses: [] };
    const { description = "", inputSchema } = tool;
    return forms[api]({ name, description, inputSchema });
  });
}

/** Definitions as a request to the API carries them: the list of its tools. */
export function listed(api: Api, definitions: readonly Definition[]): unknown {
  const values: JsonObject[] = definitions.map(({ value }) => value);
  if (api === "mcp") return { tools: values };
  return api === "gemini" ? [{ functionDeclarations: values }] : values;
}
