import { defineTool } from "../../../../src/runner/registry/define.ts";
import type { ResourceContents } from "../../../../src/base/content.ts";

/** One red pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/** The contents of the resources by their addresses, without the address. */
const texts: Readonly<Record<string, string>> = {
  "test://static-text": "This is the content of the static text resource.",
  "test://watched-resource": "Watched",
  "test://example-resource": "Embedded resource content for testing.",
};

function contentsOf(uri: string): ResourceContents {
  const text = texts[uri];
  if (text !== undefined) return { uri, mimeType: "text/plain", text };
  if (/^test:\/\/(static-binary|image)$/.test(uri)) {
    return { uri, mimeType: "image/png", blob: PNG };
  }
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) {
    throw new Error(`No resource ${uri}`, { cause: { systemError: "ENOENT" } });
  }
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { uri, mimeType: "application/json", text: JSON.stringify(data) };
}

export default defineTool({
  name: "resource.read",
  title: "A resource",
  category: "utility",
  sideEffect: "none",
  optionality: "optional",
  usageHint: "For the conformance suite of MCP",
  inputSchema: {
    type: "object",
    properties: { uri: { type: "string", description: "The address" } },
    required: ["uri"],
    additionalProperties: false,
  },
  examples: [{ description: "A text", input: { uri: "test://static-text" }, expect: "" }],
  permissions: { kinds: [], needs: () => [] },
  run: ({ uri }) => [{ type: "resource", resource: contentsOf(uri) }],
});
