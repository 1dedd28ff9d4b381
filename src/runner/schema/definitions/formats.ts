/** The APIs and the formats of exported definitions. Listing tools as text needs no more of them. */

/** The APIs that tool definitions can be exported for. */
export const apis = [
  ...["mcp", "openai", "responses", "anthropic", "gemini", "bedrock", "ai-sdk"] as const,
];

/** One of {@link apis}. */
export type Api = (typeof apis)[number];

/** The formats of definitions. The last four take those of OpenAI. */
export const definitionFormats = [
  ...apis,
  ...["mistral", "cohere", "ollama", "langchain"] as const,
];

/** One of {@link definitionFormats}. */
export type DefinitionFormat = (typeof definitionFormats)[number];

/** The API whose definitions a format prints. */
export function apiOf(format: DefinitionFormat): Api {
  return apis.find((api) => api === format) ?? "openai";
}
