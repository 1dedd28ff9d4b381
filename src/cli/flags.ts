import type { PermissionKind } from "../registry/define.ts";

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
  /** The permission that it is about, and its direction. */
  permission?: { kind: PermissionKind; effect: "allow" | "deny" };
}

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

/** The commands that are about calls, also one run in the background. */
const CALLS = ["call", "check", "run-task", "mcp"];

/** Those, and the ones that show the catalogue, with the tools of MCP servers. */
const CATALOGUE = [...CALLS, "list", "describe"];

/** Every flag there is. */
export const flags: readonly Flag[] = [
  { name: "allow-all", short: "A", value: "none", help: "Allow everything", commands: CATALOGUE },
  ...permissions.flatMap(([kind, short, metavar, what]): Flag[] => [
    {
      name: `allow-${kind}`,
      ...(short && { short }),
      value: "optional",
      metavar,
      help: `Allow ${what}: all, or what is named`,
      commands: kind === "mcp" ? CATALOGUE : CALLS,
      permission: { kind, effect: "allow" },
    },
    {
      name: `deny-${kind}`,
      value: "optional",
      metavar,
      help: `Deny ${what}, also where another flag allows it`,
      commands: kind === "mcp" ? CATALOGUE : CALLS,
      permission: { kind, effect: "deny" },
    },
  ]),
  {
    name: "root",
    commands: CATALOGUE,
    value: "required",
    metavar: "DIR",
    help: "The folder that relative paths in a call start from (default: the working folder)",
  },
  {
    name: "state-dir",
    commands: [...CATALOGUE, "tasks", "doctor"],
    value: "required",
    metavar: "DIR",
    help:
      "Where to-do lists, settings and background tasks are kept (default: the XDG state folder)",
  },
  {
    name: "config",
    commands: CATALOGUE,
    value: "required",
    metavar: "FILE",
    help:
      "Where MCP servers are named (default: toolcall.json in the root folder, or the user's own)",
  },
  {
    name: "session",
    commands: CALLS,
    value: "required",
    metavar: "NAME",
    help: "Whose to-do list, plan mode and conversations are meant (default: the working folder's)",
  },
  {
    name: "unconfined-run",
    commands: CALLS,
    value: "none",
    help: "Start programs that nothing holds but the flags' own check of the call",
  },
  {
    name: "limit",
    commands: CALLS,
    value: "required",
    metavar: "NAME=N,…",
    help: "What a program may use at most: files, processes, file-size, memory (K, M, G)",
  },
  {
    name: "ask",
    commands: CALLS,
    value: "required",
    metavar: "exec:PROGRAM",
    help: "Who asks the person: a program, questions on its stdin (default: the terminal)",
  },
  {
    name: "wall",
    commands: ["call"],
    value: "required",
    metavar: "WALL",
    help: "A wall more: bwrap, read-only mounts by bubblewrap",
  },
  {
    name: "http",
    commands: ["mcp"],
    value: "required",
    metavar: "HOST:PORT",
    help: "Serve MCP over streamable HTTP, at /mcp of that address (default: over stdio)",
  },
  {
    name: "token-env",
    commands: ["mcp"],
    value: "required",
    metavar: "NAME",
    help: "The environment variable that holds the bearer token of --http",
  },
  {
    name: "strict",
    commands: CALLS,
    value: "none",
    help: "Take arguments as they are given, and repair none",
  },
  {
    name: "repair-json",
    commands: ["call", "check"],
    value: "none",
    ownOnly: true,
    help: "Mend JSON with code fences, comments, single quotes, trailing commas, Python literals",
  },
  {
    name: "format",
    commands: ["call", "list", "describe", "doctor", "tasks"],
    value: "required",
    metavar: "FORMAT",
    ownOnly: true,
    help: "How to print; which formats there are, each command's --help says",
  },
  {
    name: "name",
    commands: ["mcp"],
    value: "required",
    metavar: "NAME",
    help: "What mcp install calls the server (default: toolcall)",
  },
  {
    name: "print",
    commands: ["mcp"],
    value: "none",
    help: "Let mcp install print the configuration (the default)",
  },
  {
    name: "write",
    commands: ["mcp"],
    value: "none",
    help: "Let mcp install write the configuration into the client's file",
  },
  {
    name: "category",
    commands: ["list"],
    value: "required",
    metavar: "NAME",
    help: "List the tools of one category",
  },
  {
    name: "lint",
    commands: ["list"],
    value: "none",
    help: "Print what models' APIs would refuse of the tools' definitions, or lose",
  },
  { name: "help", short: "h", value: "none", help: "Print help and exit" },
  {
    name: "version",
    short: "V",
    value: "none",
    help: "Print the version and exit",
  },
];
