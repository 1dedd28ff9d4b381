import { simpleTool } from "../../../../../src/runner/registry/simple_tool.ts";

export default simpleTool("return_it", "Returns what it is given", async ({ value, fail }) => {
  await null;
  if (fail !== undefined) throw new Error(String(fail));
  return value;
});
