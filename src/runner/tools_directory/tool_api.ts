/** The module "toolcall" of a tool in a tools directory. `types_file.ts` has its types. */
export { defineTool } from "../registry/define.ts";
export { simpleTool } from "../registry/simple_tool.ts";
