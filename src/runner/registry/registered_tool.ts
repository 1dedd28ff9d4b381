import type { SideEffect, ToolDefinition } from "./define.ts";
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
  };

/** The declaration of a tool. */
export function metadataOf(tool: ToolDefinition): ToolMetadata {
  const { permissions, timeoutMs: _t, changes: _c, shortFile: _s, run: _r, ...rest } = tool;
  const { outputSchema, ...declared } = rest;
  return {
    ...declared,
    aliases: tool.aliases ?? [],
    requires: tool.requires ?? [],
    inputSchema: tool.inputSchema as Record<string, unknown>,
    ...(outputSchema !== undefined && { outputSchema: outputSchema as Record<string, unknown> }),
    permissionKinds: permissions.kinds,
  };
}

/** A tool whose data is loaded and whose code is not. */
export interface RegisteredTool {
  /** Its declaration. */
  metadata: ToolMetadata;
  /** Checks its arguments. */
  validate: Validator;
  /** Loads its code. */
  load(): Promise<ToolDefinition>;
}

/** A tool in the catalogue, before its declaration is loaded. */
export interface RegistryEntry {
  /** The name a model calls. */
  name: string;
  /** Other names that call it. */
  aliases: readonly string[];
  /** The strongest effect of the tool. Only known for built-in tools. */
  sideEffect?: SideEffect;
  /** The capabilities of the machine that it requires. */
  requires?: readonly string[];
  /** Loads only its declaration. Absent where that takes as long as `load`. */
  metadata?(): Promise<ToolMetadata>;
  /** Loads its declaration and validator. */
  load(): Promise<RegisteredTool>;
}
