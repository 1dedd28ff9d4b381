import { defineTool } from "../../../../src/runner/registry/define.ts";

/** A PNG of one red pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

export default defineTool({
  name: "test_multiple_content_types",
  title: "Several blocks",
  description: "Returns a text, an image and a resource",
  category: "utility",
  sideEffect: "none",
  optionality: "optional",
  usageHint: "For the conformance suite of MCP",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  examples: [{ description: "Several blocks", input: {}, expect: "Multiple content" }],
  permissions: { kinds: [], needs: () => [] },
  run() {
    return [
      { type: "text", text: "Multiple content types test:" },
      { type: "image", data: PIXEL, mimeType: "image/png" },
      {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: '{"test":"data","value":123}',
        },
      },
    ];
  },
});
