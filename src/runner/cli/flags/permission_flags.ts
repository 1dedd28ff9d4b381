import type { PermissionKind } from "../../registry/define.ts";
import { CALLS, CATALOGUE, type Flag } from "./flag.ts";

const permissions: readonly [
  kind: PermissionKind,
  short: string,
  metavar: string,
  what: string,
][] = [
  ["read", "R", "PATH,…", "reading files"],
  ["write", "W", "PATH,…", "writing files"],
  [
    "net",
    "N",
    "HOST,…",
    "the network (what is not public by its name alone; to programs whole, or by :PORT)",
  ],
  ["run", "", "PROGRAM,…", "starting programs"],
  ["env", "E", "NAME,…", "environment variables"],
  ["sys", "S", "API,…", "information about the system"],
  ["mcp", "", "SERVER,…", "MCP servers"],
];

/** The commands that MCP servers may be started by. */
const SERVERS = [...CATALOGUE, "doctor"];

/** The flags that allow and deny a kind of permission. */
export const permissionFlags: readonly Flag[] = permissions.flatMap((
  [kind, short, metavar, what],
): Flag[] => [
  {
    name: `allow-${kind}`,
    ...(short && { short }),
    value: "optional",
    metavar,
    help: `Allow ${what}: all, or what is named`,
    commands: kind === "mcp" ? SERVERS : CALLS,
    permission: { kind, effect: "allow" },
  },
  {
    name: `deny-${kind}`,
    value: "optional",
    metavar,
    help: `Deny ${what}, also where another flag allows it`,
    commands: kind === "mcp" ? SERVERS : CALLS,
    permission: { kind, effect: "deny" },
  },
]);
