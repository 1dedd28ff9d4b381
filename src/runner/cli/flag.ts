/** The form of a flag, the commands by their kinds, and the flags of permissions. */

import type { PermissionKind } from "../registry/define.ts";

/** One flag of the command line. */
export interface Flag {
  /** Its name without the dashes. */
  name: string;
  /** Its one letter, if it has one. */
  short?: string;
  /** The name of the value in the help, such as `PATH`. Without it the flag takes no value. */
  metavar?: string;
  /** Whether the value may be missing. It is then read only after `=`, and not after a space. */
  isOptional?: true;
  /** The line of the help. */
  help: string;
  /** The commands that accept it; by default all of them. */
  commands?: readonly string[];
  /** Whether it concerns only this process's input and output. Child processes do not get it. */
  ownOnly?: boolean;
  /** Whether giving it twice is an error. Otherwise the first value would be ignored silently. */
  isOnce?: boolean;
  /** The permission that it allows or denies. */
  permission?: { kind: PermissionKind; effect: "allow" | "deny" };
}

/** The commands that execute or check tool calls. */
export const CALL_COMMANDS = [
  ...["call", "check", "run-task", "run-programs", "run-shell", "submit", "mcp", "ui", "worker"],
];

/** The commands among them that execute many calls. Their stdout is not for a failure of their own. */
export const LONG_LIVED_COMMANDS = ["submit", "mcp", "ui", "worker"];

/** The commands that use the catalogue of tools, including the tools of MCP servers. */
export const CATALOGUE_COMMANDS = [...CALL_COMMANDS, "list", "describe", "grammar"];

/** The flags `--allow-KIND` and `--deny-KIND` of each kind of permission. */
const permissions: readonly [
  kind: PermissionKind,
  short: string,
  metavar: string,
  what: string,
  all: string,
][] = [
  ["read", "R", "PATH,…", "reading PATHs", "all"],
  ["write", "W", "PATH,…", "writing PATHs", "all"],
  ["net", "N", "HOST,…", "network access to HOSTs", "all public hosts"],
  ["run", "", "PROGRAM,…", "starting PROGRAMs", "all"],
  ["env", "E", "NAME,…", "environment variables", "all"],
  ["sys", "S", "API,…", "information about the system", "all"],
  ["mcp", "", "SERVER,…", "MCP servers", "all"],
];

/** The commands that may start MCP servers. */
const SERVER_COMMANDS = [...CATALOGUE_COMMANDS, "doctor"];

/** The flags that allow and deny permissions. */
export const permissionFlags: readonly Flag[] = permissions.flatMap(
  ([kind, short, metavar, what, all]) => {
    const commands = kind === "mcp" ? SERVER_COMMANDS : CALL_COMMANDS;
    const both = { metavar, isOptional: true, commands } as const;
    return [
      {
        ...both,
        name: `allow-${kind}`,
        ...(short && { short }),
        help: `Allow ${what} (default: ${all})`,
        permission: { kind, effect: "allow" },
      },
      {
        ...both,
        name: `deny-${kind}`,
        help: `Deny ${what}. Overrides --allow-${kind}`,
        permission: { kind, effect: "deny" },
      },
    ];
  },
);
