import { simpleTool } from "../../../../../src/runner/registry/simple_tool.ts";

export default simpleTool(
  "add",
  "Adds the numbers a and b",
  ({ a, b }) => Number(a) + Number(b),
);
