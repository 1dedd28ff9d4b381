import { simpleTool } from "../../../src/registry/simple_tool.ts";

export default simpleTool(
  "add",
  "Adds the numbers a and b",
  ({ a, b }) => Number(a) + Number(b),
);
