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
const CATALOGUE_COMMANDS = [...CALL_COMMANDS, "list", "describe", "grammar"];

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
    help: "Use only the tools of a bundle: code_agent, blog_agent, read_only, all, or your own; " +
      "compat adds the tool names of other programs",
  },
  {
    name: "tools",
    commands: CATALOGUE_COMMANDS,
    metavar: "NAME,…",
    help: "Use only these tools; * is a wildcard: mcp__files__*",
  },
  {
    name: "no-tools",
    commands: CATALOGUE_COMMANDS,
    metavar: "NAME,…",
    help: "Leave out these tools; * is a wildcard",
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
    help: "List the tools with one side effect, such as read_only",
  },
  {
    name: "search",
    commands: ["list"],
    metavar: "TEXT",
    help: "List tools that match all words in their name, description or arguments",
  },
  {
    name: "lint",
    commands: ["list"],
    help: "Report tool definitions that a model API would reject or truncate",
  },
  {
    name: "vendor",
    commands: ["list"],
    help: "List the tools that the model's vendor defines: bash, text editor, memory, shell",
  },
  {
    name: "permission-set",
    short: "P",
    isOnce: true,
    commands: CATALOGUE_COMMANDS,
    metavar: "NAME",
    isOptional: true,
    help: 'Apply a permission set of the configuration (default: "default")',
  },
  {
    name: "root",
    commands: [...CATALOGUE_COMMANDS, "doctor", "config", "bundles", "add", "new", "try"],
    metavar: "DIR",
    help: "The directory that relative paths are resolved against (default: the working directory)",
  },
  {
    name: "state-dir",
    commands: [...CATALOGUE_COMMANDS, "tasks", "config", "doctor"],
    metavar: "DIR",
    help:
      "The directory for to-do lists, settings and background tasks (default: the XDG state directory)",
  },
  {
    name: "config",
    commands: [...CATALOGUE_COMMANDS, "doctor", "config", "bundles", "add", "new", "try"],
    metavar: "FILE",
    help: "The configuration file (default: toolcall.json of the root directory, and your own)",
  },
  {
    name: "tools-dir",
    isOnce: true,
    commands: [...CATALOGUE_COMMANDS, "add", "doctor", "new", "try"],
    metavar: "DIR",
    help:
      "The directory of your tools in TypeScript (default: toolcall/tools of your configuration)",
  },
  {
    name: "session",
    commands: CALL_COMMANDS,
    metavar: "NAME",
    help: "The session for to-do lists, plan mode and agents (default: one per directory)",
  },
  {
    name: "memory-dir",
    isOnce: true,
    commands: [...CALL_COMMANDS, "list"],
    metavar: "DIR",
    help: "The directory that the memory tool sees as /memories. It grants no permission",
  },
  {
    name: "unconfined-run",
    commands: CALL_COMMANDS,
    help: "Run programs without a sandbox; only the call itself is checked",
  },
  {
    name: "limit",
    commands: CALL_COMMANDS,
    metavar: "NAME=N,…",
    help: "Limit resources of child processes: files, processes, file-size, memory (K, M, G)",
  },
  {
    name: "ask",
    commands: CALL_COMMANDS,
    metavar: "exec:PROGRAM|terminal",
    help: "Ask the user by this program (default: terminal); show forms of MCP servers too",
  },
  {
    name: "no-links",
    commands: CALL_COMMANDS,
    help: "Fail if a path in a flag contains a symlink",
  },
  {
    name: "audit",
    isOnce: true,
    commands: CALL_COMMANDS,
    metavar: "FILE",
    help: "Append one line of JSON about each call to this file",
  },
  {
    name: "audit-max-size",
    isOnce: true,
    commands: CALL_COMMANDS,
    metavar: "SIZE",
    help: "Start a new audit log at this size, such as 10M. Five older ones are kept",
  },
  {
    name: "follow",
    short: "f",
    commands: ["audit", "tasks"],
    help: "Follow: print new output until a signal, or the end of the task",
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
    help: "The time limit of tasks wait, such as 500ms, 30s or 5m (default: none)",
  },
  {
    name: "command",
    commands: ["new"],
    help: "Add a command tool to the configuration (default)",
  },
  {
    name: "typescript",
    commands: ["new"],
    help: "Write a tool in TypeScript into your tools directory, with types for the editor",
  },
  {
    name: "user",
    commands: ["config", "new", "add"],
    help: "Use your own configuration file instead of the project's",
  },
  {
    name: "yes",
    commands: ["add"],
    help: "Add without a question",
  },
  {
    name: "server",
    isOnce: true,
    commands: ["add"],
    metavar: "URL",
    help: "The base URL of an API, in place of the servers that its document names",
  },
  {
    name: "all",
    commands: ["cache", "mcp"],
    help: "cache clean: remove all versions, also this one; mcp stop: end all kept servers",
  },
  {
    name: "state",
    commands: ["cache"],
    help: "With --all: also remove the state directory with settings, lists and tasks",
  },
  {
    name: "scope",
    isOnce: true,
    commands: ["mcp"],
    metavar: "project|user",
    help: "The file of the client: of the project, or your own. mcp login: the OAuth scopes",
  },
  {
    name: "wall",
    commands: ["call"],
    metavar: "WALL",
    help: "Add a sandbox layer: bwrap (read-only mounts by bubblewrap)",
  },
  {
    name: "jobs",
    commands: ["submit", "worker"],
    metavar: "N",
    isOnce: true,
    help: "The number of calls that run at the same time (default: the number of cores)",
  },
  {
    name: "nats",
    commands: ["call", "submit", "tasks", "ui", "worker"],
    metavar: "URL,…",
    ownOnly: true,
    help: "The NATS servers, such as nats://host:4222. Calls then run on workers",
  },
  {
    name: "pool",
    commands: ["call", "submit", "tasks", "ui", "worker"],
    metavar: "NAME",
    isOnce: true,
    ownOnly: true,
    help: "The pool of workers (default: default)",
  },
  {
    name: "nats-creds",
    commands: ["call", "submit", "tasks", "ui", "worker"],
    metavar: "FILE",
    isOnce: true,
    ownOnly: true,
    help: "The file with the NATS credentials (a JWT and a seed)",
  },
  {
    name: "nats-nkey",
    commands: ["call", "submit", "tasks", "ui", "worker"],
    metavar: "FILE",
    isOnce: true,
    ownOnly: true,
    help: "The file with the seed of a NATS NKey",
  },
  {
    name: "tls-ca",
    commands: ["call", "submit", "tasks", "ui", "worker"],
    metavar: "FILE",
    isOnce: true,
    ownOnly: true,
    help: "The certificate authority of the NATS servers, as PEM",
  },
  {
    name: "tls-cert",
    commands: ["call", "submit", "tasks", "ui", "worker"],
    metavar: "FILE",
    isOnce: true,
    ownOnly: true,
    help: "The client certificate for the NATS servers, as PEM",
  },
  {
    name: "tls-key",
    commands: ["call", "submit", "tasks", "ui", "worker"],
    metavar: "FILE",
    isOnce: true,
    ownOnly: true,
    help: "The key of the client certificate, as PEM",
  },
  {
    name: "durable",
    commands: ["submit", "worker"],
    ownOnly: true,
    help: "Keep calls and results on the server until they are done (JetStream)",
  },
  {
    name: "batch",
    commands: ["submit"],
    metavar: "ID",
    isOnce: true,
    ownOnly: true,
    help: "The name of a durable batch. The same name continues it (default: a new one)",
  },
  {
    name: "attach",
    commands: ["submit"],
    ownOnly: true,
    help: "Read no calls; print the results of the batch, and wait for the missing ones",
  },
  {
    name: "cancel",
    commands: ["submit"],
    ownOnly: true,
    help: "Cancel the calls of the batch that have no result",
  },
  {
    name: "deadline",
    commands: ["call", "submit"],
    metavar: "TIME",
    isOnce: true,
    ownOnly: true,
    help: "Do not start a call later than this after it was sent, such as 30s or 5m",
  },
  {
    name: "workspace",
    commands: ["call", "submit", "worker"],
    metavar: "DIR|NAME",
    isOnce: true,
    ownOnly: true,
    help:
      "The NAME of a directory that calls share; for worker, the DIR that has these directories",
  },
  {
    name: "workspace-limit",
    commands: ["worker"],
    metavar: "NAME=N,…",
    isOnce: true,
    ownOnly: true,
    help: "The limits of a workspace: size (K, M, G), files (default: size=1G,files=100000)",
  },
  {
    name: "workspace-idle",
    commands: ["worker"],
    metavar: "TIME",
    isOnce: true,
    ownOnly: true,
    help: "Remove a workspace after this time without calls (default: 10m)",
  },
  {
    name: "drain",
    commands: ["worker"],
    metavar: "TIME",
    isOnce: true,
    ownOnly: true,
    help: "The time to end running calls after a signal (default: 30s)",
  },
  {
    name: "health",
    commands: ["worker"],
    metavar: "HOST:PORT",
    isOnce: true,
    ownOnly: true,
    help: "Serve /healthz and /metrics (OpenMetrics) at this address",
  },
  {
    name: "replicas",
    commands: ["worker"],
    metavar: "N",
    isOnce: true,
    ownOnly: true,
    help: "worker init: the number of servers that keep each message (default: 1)",
  },
  {
    name: "lease",
    commands: ["worker"],
    metavar: "TIME",
    isOnce: true,
    ownOnly: true,
    help: "worker init: the silence after which a worker counts as lost (default: 30s)",
  },
  {
    name: "ordered",
    commands: ["submit"],
    help: "Print results in the order of the lines (default: as calls end)",
  },
  {
    name: "report",
    metavar: "FILE",
    isOnce: true,
    commands: ["submit"],
    ownOnly: true,
    help: "Write a page of HTML with rates, durations by tool and failures by code",
  },
  {
    name: "quiet",
    commands: ["call", "submit"],
    ownOnly: true,
    help: "Print no progress and no notes on stderr",
  },
  {
    name: "verbose",
    commands: ["call", "check", "submit", "mcp", "version"],
    ownOnly: true,
    help: "Report on stderr what each call needs, what is granted, where it runs and how long",
  },
  {
    name: "prompt",
    commands: ["call", "check"],
    ownOnly: true,
    help: "Ask on the terminal for missing permissions",
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
    help: "Serve MCP over streamable HTTP at /mcp of this address (default: stdio)",
  },
  {
    name: "prompts",
    commands: ["mcp"],
    metavar: "DIR",
    help: "Offer the Markdown files of this directory as prompts to MCP clients",
    isOnce: true,
  },
  {
    name: "port",
    commands: ["ui"],
    metavar: "PORT",
    help: "The port of the page (default: a free one)",
    ownOnly: true,
    isOnce: true,
  },
  {
    name: "host",
    commands: ["ui"],
    metavar: "HOST",
    help: "The loopback address of the page: 127.0.0.1 (default), localhost or ::1",
    ownOnly: true,
    isOnce: true,
  },
  {
    name: "no-open",
    commands: ["ui", "mcp"],
    ownOnly: true,
    help: "ui, mcp login: print the address of the page and do not open a browser",
  },
  {
    name: "read-only",
    commands: ["ui"],
    ownOnly: true,
    help: "Let the page show and check calls, but run none",
  },
  {
    name: "auth-server",
    commands: ["mcp"],
    metavar: "ORIGIN,…",
    isOptional: true,
    ownOnly: true,
    help: "mcp login: do not ask about these authorization servers (default: all)",
  },
  {
    name: "token-env",
    commands: ["mcp"],
    metavar: "NAME",
    help:
      "The environment variable with the bearer token of --http (default: a new token on stderr)",
  },
  {
    name: "no-token",
    commands: ["mcp"],
    help: "Let every program on this machine use --http without a token",
  },
  {
    name: "origin",
    commands: ["mcp"],
    metavar: "ORIGIN,…",
    help: "Allow web pages of these origins to use --http, such as http://localhost:6274",
    isOnce: true,
  },
  {
    name: "strict",
    commands: [...CALL_COMMANDS, "grammar"],
    help: "Do not correct arguments. For grammar: fail if anything is omitted",
  },
  {
    name: "structured",
    commands: CALL_COMMANDS,
    help: "Add structuredContent with the published output types to results",
  },
  {
    name: "upstream-names",
    commands: ["mcp"],
    help: "Offer tools of MCP servers under the names that their servers give them",
  },
  {
    name: "all-tools",
    commands: ["mcp"],
    help: "List every tool, not only those that some call may use under the given flags",
  },
  {
    name: "parse",
    metavar: "FORM",
    commands: ["call", "check"],
    ownOnly: true,
    isOnce: true,
    help: "Read calls from a model's text: hermes, qwen, pythonic, mistral, or auto",
  },
  {
    name: "repair-json",
    commands: ["call", "check", "submit"],
    ownOnly: true,
    help: "Fix common JSON mistakes: code fences, comments, single quotes, trailing commas",
  },
  {
    name: "format",
    commands: [
      ...["call", "check", "submit", "list", "describe", "doctor", "tasks", "config"],
      ...["audit", "bundles", "cache", "mcp"],
    ],
    metavar: "FORMAT",
    ownOnly: true,
    help: "The output format; see toolcall help formats",
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
    help: "mcp install: print the configuration (default)",
  },
  {
    name: "write",
    commands: ["mcp"],
    help: "mcp install, mcp uninstall: change the client's file",
  },
  { name: "man", commands: ["help"], help: "Print the manual page toolcall(1)" },
  { name: "help", short: "h", help: "Print help and exit" },
  { name: "version", short: "V", help: "Print the version and exit; with --verbose its parts too" },
];
