import type { Grants } from "../sandbox/policy/grants.ts";
import type { PermissionKind, SideEffect, ToolDefinition, ToolGroup } from "./define.ts";
import type { Validator } from "./validator.ts";

/** A tool's declaration as plain data: all of it but what is behaviour. */
export type ToolMetadata =
  & Omit<
    ToolDefinition,
    | "inputSchema"
    | "outputSchema"
    | "permissions"
    | "timeoutMs"
    | "changes"
    | "shortFile"
    | "rules"
    | "run"
    | "aliases"
    | "requires"
  >
  & {
    /** Other names that call it. */
    aliases: readonly string[];
    /** The capabilities of the machine that it requires. */
    requires: readonly string[];
    /** The JSON Schema of its arguments. */
    inputSchema: Record<string, unknown>;
    /** The JSON Schema of what it returns as data, if it does. */
    outputSchema?: Record<string, unknown>;
    /** The kinds of permission it can ever use. */
    permissionKinds: ToolDefinition["permissions"]["kinds"];
    /** The file that has the tool, if it is one of a tools directory. */
    file?: string;
    /** The kinds that its examples need, each combination once. A call needs all kinds of one. */
    permissionSets?: readonly (readonly PermissionKind[])[];
  };

/** The declaration of a tool. */
export function metadataOf(tool: ToolDefinition): ToolMetadata {
  const { permissions, timeoutMs: _t, changes: _c, shortFile: _s, rules: _u, run: _r, ...rest } =
    tool;
  const { outputSchema, ...declared } = rest;
  return {
    ...declared,
    aliases: tool.aliases ?? [],
    requires: tool.requires ?? [],
    inputSchema: tool.inputSchema as Record<string, unknown>,
    ...(outputSchema !== undefined && { outputSchema: outputSchema as Record<string, unknown> }),
    permissionKinds: permissions.kinds,
    permissionSets: permissionSetsOf(tool),
  };
}

/** The combinations of kinds that the examples need, without those that contain another one. */
function permissionSetsOf(tool: ToolDefinition): PermissionKind[][] {
  const { permissions, examples } = tool;
  const sets = examples.flatMap(({ input }) => {
    try {
      const text = JSON.stringify(input).replaceAll("$ROOT", "/root").replaceAll("$SERVER", "host");
      const args = JSON.parse(text);
      if ((tool.rules?.(args, "/") ?? []).length > 0) return [];
      const needs = permissions.needs(args, "/", {});
      return [[...new Set(needs.map(({ name }) => name))].sort()];
    } catch {
      // The example shows a refusal, or needs a setting.
      return [];
    }
  });
  // The settings of a provider give the host. The examples have none.
  const isHostUnknown = (set: readonly string[]) =>
    set.length === 0 && tool.uses?.includes("settings") && permissions.kinds.includes("net");
  const known = sets.map((set): PermissionKind[] => isHostUnknown(set) ? ["net"] : set);
  const unique = [...new Map(known.map((set) => [set.join(), set])).values()];
  return unique.filter((set) =>
    !unique.some((other) => other.length < set.length && other.every((kind) => set.includes(kind)))
  );
}

/** Whether some call of a tool could be allowed: the grants cover the kinds of one of its sets. */
export function couldRun(
  { permissionKinds, permissionSets = [] }: ToolMetadata,
  { all, allow, deny }: Pick<Grants, "all" | "allow" | "deny">,
): boolean {
  const isGranted = (kind: PermissionKind) =>
    deny[kind] !== true && (all || allow[kind] === true || (allow[kind]?.length ?? 0) > 0);
  return permissionSets.length > 0
    ? permissionSets.some((set) => set.every(isGranted))
    : permissionKinds.length === 0 || permissionKinds.some(isGranted);
}

/** Whether a tool reads or writes files and needs nothing else. */
export function usesOnlyFiles({ permissionKinds: kinds }: ToolMetadata): boolean {
  return kinds.length > 0 && kinds.every((kind) => kind === "read" || kind === "write");
}

/** A tool whose data is loaded and whose code is not. */
export interface RegisteredTool {
  /** Its declaration. */
  metadata: ToolMetadata;
  /** Checks its arguments. */
  validate: Validator;
  /** Loads its code. */
  load(): Promise<ToolDefinition>;
  /** The job of a network Worker that runs a call, if it is another tool of that Worker. */
  inWorker?(args: Record<string, unknown>): { tool: string; args: Record<string, unknown> };
  /** The call of another tool that a call stands for. Throws `invalid_arguments`. */
  standsFor?(
    args: Record<string, unknown>,
    cwd: string,
  ): { tool: string; args: Record<string, unknown> };
  /** The URL of the module with its code, if a runner in another program may load it in a Worker. */
  module?: string;
}

/** A tool in the catalogue, before its declaration is loaded. */
export interface RegistryEntry {
  /** The name a model calls. */
  name: string;
  /** Other names that call it. */
  aliases: readonly string[];
  /** The group that must be offered for the tool to be listed, if it has one. */
  offered?: ToolGroup;
  /** The strongest effect of the tool. Only known for built-in tools. */
  sideEffect?: SideEffect;
  /** The capabilities of the machine that it requires. */
  requires?: readonly string[];
  /** The URL of its module, as in {@link RegisteredTool}. */
  module?: string;
  /** Loads only its declaration. Absent where that takes as long as `load`. */
  metadata?(): Promise<ToolMetadata>;
  /** Loads its declaration and validator. */
  load(): Promise<RegisteredTool>;
}
