/** The declaration of a tool in its module. This runs in the thread that has loaded the module. */

import { isObject } from "../../base/json/is_object.ts";
import {
  declarationFaults,
  type DeclarationRules,
  type FieldFault,
} from "../registry/declaration.ts";
import type { ToolDefinition } from "../registry/define.ts";
import { metadataOf, type ToolMetadata } from "../registry/registered_tool.ts";

/** The valid names of tools. */
export const TOOL_NAME = /^(?!mcp__)[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

/** The rule of names, in words. */
export const NAME_RULE = "must begin with a letter and have at most 64 letters, digits or _.-";

/** The fields that only built-in tools can have, each with the reason. */
export const BUILT_IN_ONLY: Readonly<Record<string, string>> = {
  uses: "the services of the runner act with all rights of the call, not only with those declared",
  helper: "a helper is a program, and only command tools start programs",
  shortFile: "its code would run outside of the sandbox",
  offered: "a tool of yours is always listed",
  shell: "it starts programs, and only command tools start programs",
  changes: "its code would run outside of the sandbox; use two tools, one of which only reads",
};

/** The rules of declarations in a tools directory. */
const RULES: DeclarationRules = {
  name: [(value) => typeof value === "string" && TOOL_NAME.test(value), NAME_RULE],
  mayBeHidden: true,
  kinds: ["read", "write", "net", "env", "sys"],
  otherKinds: {
    run: "a command tool starts programs; see docs/tools.md",
    mcp: "only built-in tools use MCP servers",
  },
  fields: [["background", (value) => typeof value === "boolean", "must be true or false"]],
  refused: BUILT_IN_ONLY,
  page: "docs/tools.md",
};

/** The declaration of a tool as plain data, or its errors. */
export type Declaration =
  | { metadata: ToolMetadata; timeoutMs?: number | "computed"; hasRules?: true }
  | { faults: readonly FieldFault[] };

/** The declaration that a module has as its default export. */
export function declarationIn(module: Record<string, unknown>): Declaration {
  const tool = module["default"];
  if (!isObject(tool)) {
    const what = tool === undefined ? "it has no default export" : "its default export is no tool";
    return { faults: [{ message: `${what}; write export default defineTool({ … })` }] };
  }
  const faults = declarationFaults(tool, RULES);
  if (faults.length > 0) return { faults };
  const { timeoutMs, ...definition } = module["default"] as ToolDefinition;
  const metadata = metadataOf(definition);
  return {
    metadata,
    ...(timeoutMs !== undefined && {
      timeoutMs: typeof timeoutMs === "number" ? timeoutMs : "computed",
    }),
    ...(definition.rules !== undefined && { hasRules: true }),
  };
}
