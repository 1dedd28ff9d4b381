import { defineTool } from "../../../../src/runner/registry/define.ts";

/** A PNG of one red pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

export default defineTool({
  name: "test_image_content",
  title: "An image",
  description: "Returns one red pixel",
  category: "utility",
  sideEffect: "none",
  optionality: "optional",
  usageHint: "For the conformance suite of MCP",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  examples: [{ description: "An image", input: {}, expect: "" }],
  permissions: { kinds: [], needs: () => [] },
  run() {
    return [{ type: "image", data: PIXEL, mimeType: "image/png" }];
  },
});
