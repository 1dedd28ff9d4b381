import type { PermissionKind } from "../../registry/define.ts";

/** How a flag takes a value: never, after a space or `=`, or only after `=` and not needed. */
export type FlagValue = "none" | "required" | "optional";

/** One flag of the command line; parsing and help derive from it. */
export interface Flag {
  /** Its name without the dashes. */
  name: string;
  /** Its one letter, if it has one. */
  short?: string;
  /** How it takes a value. */
  value: FlagValue;
  /** What stands for the value in the help. */
  metavar?: string;
  /** What it does. */
  help: string;
  /** The commands that it goes with; all of them where it is not given. */
  commands?: readonly string[];
  /** Whether it is about what this process reads and prints, and not about the calls. */
  ownOnly?: boolean;
  /** Whether it is an error to give it twice: one of two limits would not hold, and nobody be told. */
  isOnce?: boolean;
  /** The permission that it is about, and its direction. */
  permission?: { kind: PermissionKind; effect: "allow" | "deny" };
}

/** The commands that are about calls, also one run in the background. */
export const CALLS = ["call", "check", "run-task", "mcp"];

/** Those, and the ones that show the catalogue, with the tools of MCP servers. */
export const CATALOGUE = [...CALLS, "list", "describe", "grammar"];
