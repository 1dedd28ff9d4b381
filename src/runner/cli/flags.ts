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
export const CALL_COMMANDS = ["call", "check", "run-task", "run-programs", "submit", "mcp"];

/** The commands among them that execute many calls. Their stdout is not for a failure of their own. */
export const LONG_LIVED_COMMANDS = ["submit", "mcp"];

/** The commands that use the catalogue of tools, including the tools of MCP servers. */
const CATALOGUE_COMMANDS = [...CALL_COMMANDS, "list", "describe", "grammar"];

/** The flags `--allow-KIND` and `--deny-KIND` of each kind of permission. */
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

/** The commands that may start MCP servers. */
const SERVER_COMMANDS = [...CATALOGUE_COMMANDS, "doctor"];

/** The flags that allow and deny permissions. */
export const permissionFlags: readonly Flag[] = permissions.flatMap(
  ([kind, short, metavar, what]) => {
    const commands = kind === "mcp" ? SERVER_COMMANDS : CALL_COMMANDS;
    const both = { metavar, isOptional: true, commands } as const;
    return [
      {
        ...both,
        name: `allow-${kind}`,
        ...(short && { short }),
        help: `Allow ${what}: all, or what is named`,
        permission: { kind, effect: "allow" },
      },
      {
        ...both,
        name: `deny-${kind}`,
        help: `Deny ${what}, also where another flag allows it`,
        permission: { kind, effect: "deny" },
      },
    ];
  },
);

/** Every flag, in the order of the help. The parser and the help derive from this table. */
export const flags: readonly Flag[] = [
  {
    name: "allow-all",
    short: "A",
    help: "Allow everything",
    commands: CATALOGUE_COMMANDS,
  },
  ...permissionFlags,
  {
    name: "bundle",
    isOnce: true,
    commands: CATALOGUE_COMMANDS,
    metavar: "NAME",
    help: "The tools of a bundle alone: code_agent, blog_agent, read_only, all, or one of your own",
  },
  {
    name: "tools",
    commands: CATALOGUE_COMMANDS,
    metavar: "NAME,…",
    help: "The named tools alone; * stands for any characters: mcp__files__*",
  },
  {
    name: "no-tools",
    commands: CATALOGUE_COMMANDS,
    metavar: "NAME,…",
    help: "All tools but these; * stands for any characters",
  },
  {
    name: "category",
    commands: ["list"],
    metavar: "NAME",
    help: "List the tools of one category",
  },
  {
    name: "optionality",
    commands: ["list"],
    metavar: "NAME",
    help: "List the tools that are required, optional or conditional",
  },
  {
    name: "effect",
    commands: ["list"],
    metavar: "NAME",
    help: "List the tools of one side effect, such as read_only",
  },
  {
    name: "search",
    commands: ["list"],
    metavar: "TEXT",
    help: "List the tools that tell of every word: in a name, a text or an argument's name",
  },
  {
    name: "lint",
    commands: ["list"],
    help: "Print what models' APIs would refuse of the tools' definitions, or lose",
  },
  {
    name: "permission-set",
    short: "P",
    isOnce: true,
    commands: CATALOGUE_COMMANDS,
    metavar: "NAME",
    isOptional: true,
    help: 'Allow and deny what a set of the configuration says: "default", or the one named',
  },
  {
    name: "root",
    commands: [...CATALOGUE_COMMANDS, "doctor", "config", "bundles"],
    metavar: "DIR",
    help: "The folder that relative paths in a call start from (default: the working folder)",
  },
  {
    name: "state-dir",
    commands: [...CATALOGUE_COMMANDS, "tasks", "config", "doctor"],
    metavar: "DIR",
    help:
      "Where to-do lists, settings and background tasks are kept (default: the XDG state folder)",
  },
  {
    name: "config",
    commands: [...CATALOGUE_COMMANDS, "doctor", "config", "bundles"],
    metavar: "FILE",
    help: "The configuration (default: toolcall.json in the root folder, and the user's own)",
  },
  {
    name: "session",
    commands: CALL_COMMANDS,
    metavar: "NAME",
    help: "Whose to-do list, plan mode and conversations are meant (default: the working folder's)",
  },
  {
    name: "unconfined-run",
    commands: CALL_COMMANDS,
    help: "Start programs that nothing holds but the flags' own check of the call",
  },
  {
    name: "limit",
    commands: CALL_COMMANDS,
    metavar: "NAME=N,…",
    help: "What a program may use at most: files, processes, file-size, memory (K, M, G)",
  },
  {
    name: "ask",
    commands: CALL_COMMANDS,
    metavar: "exec:PROGRAM",
    help: "Who asks the person: a program, questions on its stdin (default: the terminal)",
  },
  {
    name: "no-links",
    commands: CALL_COMMANDS,
    help: "Refuse the call when a path of the flags goes through a symbolic link by now",
  },
  {
    name: "audit",
    isOnce: true,
    commands: CALL_COMMANDS,
    metavar: "FILE",
    help: "Append a line of JSON about each call to this file",
  },
  {
    name: "audit-max-size",
    isOnce: true,
    commands: CALL_COMMANDS,
    metavar: "SIZE",
    help: "Start a new log of --audit at this size, such as 10M. Five older ones are kept",
  },
  {
    name: "follow",
    short: "f",
    commands: ["audit", "tasks"],
    help: "Print what is added, until a signal or the end of the task",
  },
  {
    name: "tool",
    isOnce: true,
    commands: ["audit"],
    metavar: "NAME",
    help: "Print only the calls of this tool",
  },
  {
    name: "denied",
    commands: ["audit"],
    help: "Print only the calls that a permission or the sandbox refused",
  },
  {
    name: "timeout",
    isOnce: true,
    commands: ["tasks"],
    metavar: "TIME",
    help: "The longest time that tasks wait takes, such as 500ms, 30s or 5m (default: no limit)",
  },
  {
    name: "user",
    commands: ["config"],
    help: "Use the user's own configuration file",
  },
  {
    name: "all",
    commands: ["cache"],
    help: "Remove every other version, not only those that are a day old",
  },
  {
    name: "scope",
    isOnce: true,
    commands: ["mcp"],
    metavar: "project|user",
    help: "Which file of the client mcp install, uninstall and list use",
  },
  {
    name: "wall",
    commands: ["call"],
    metavar: "WALL",
    help: "A wall more: bwrap, read-only mounts by bubblewrap",
  },
  {
    name: "jobs",
    commands: ["submit"],
    metavar: "N",
    isOnce: true,
    help: "The number of lines whose calls run at the same time (default: the number of cores)",
  },
  {
    name: "ordered",
    commands: ["submit"],
    help: "Print the results in the order of the lines (default: as calls end)",
  },
  {
    name: "quiet",
    commands: ["call", "submit"],
    ownOnly: true,
    help: "Print no progress and no notes on stderr",
  },
  {
    name: "verbose",
    commands: ["call", "check", "submit", "mcp"],
    ownOnly: true,
    help: "Print on stderr what each call needs, what is granted, where it runs and how long",
  },
  {
    name: "prompt",
    commands: ["call", "check"],
    ownOnly: true,
    help: "Ask on the terminal for a permission that no flag grants",
  },
  {
    name: "clear",
    commands: ["config"],
    ownOnly: true,
    help: "Remove the permissions that --prompt has kept",
  },
  {
    name: "http",
    commands: ["mcp"],
    metavar: "HOST:PORT",
    help: "Serve MCP over streamable HTTP, at /mcp of that address (default: over stdio)",
  },
  {
    name: "token-env",
    commands: ["mcp"],
    metavar: "NAME",
    help:
      "The environment variable that holds the bearer token of --http (default: a new token, printed on stderr)",
  },
  {
    name: "no-token",
    commands: ["mcp"],
    help: "Let every program of this machine use --http without a token",
  },
  {
    name: "origin",
    commands: ["mcp"],
    metavar: "ORIGIN,…",
    help: "Let pages of these origins be clients of --http, such as http://localhost:6274",
    isOnce: true,
  },
  {
    name: "strict",
    commands: [...CALL_COMMANDS, "grammar"],
    help:
      "Take arguments as they are given, and repair none; a grammar that leaves anything out fails",
  },
  {
    name: "structured",
    commands: CALL_COMMANDS,
    help: "Add the data of the published output types to results, as structuredContent",
  },
  {
    name: "repair-json",
    commands: ["call", "check", "submit"],
    ownOnly: true,
    help: "Mend JSON with code fences, comments, single quotes, trailing commas, Python literals",
  },
  {
    name: "format",
    commands: [
      ...["call", "check", "submit", "list", "describe", "doctor", "tasks", "config"],
      ...["audit", "bundles", "cache", "mcp"],
    ],
    metavar: "FORMAT",
    ownOnly: true,
    help: "How to print; which formats there are, each command's --help says",
  },
  {
    name: "name",
    commands: ["mcp"],
    metavar: "NAME",
    help: "The server's name in the client's file (default: toolcall)",
  },
  {
    name: "print",
    commands: ["mcp"],
    help: "Let mcp install print the configuration (the default)",
  },
  {
    name: "write",
    commands: ["mcp"],
    help: "Let mcp install and mcp uninstall change the client's file",
  },
  { name: "help", short: "h", help: "Print help and exit" },
  { name: "version", short: "V", help: "Print the version and exit" },
];
