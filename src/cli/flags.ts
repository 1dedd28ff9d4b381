import { CALLS, CATALOGUE, type Flag } from "./flag.ts";
import { permissionFlags } from "./permission_flags.ts";
import { selectionFlags } from "./selection_flags.ts";

/** Every flag there is. */
export const flags: readonly Flag[] = [
  { name: "allow-all", short: "A", value: "none", help: "Allow everything", commands: CATALOGUE },
  ...permissionFlags,
  ...selectionFlags,
  {
    name: "permission-set",
    short: "P",
    commands: CATALOGUE,
    value: "optional",
    metavar: "NAME",
    help: 'Allow and deny what a set of the configuration says: "default", or the one named',
  },
  {
    name: "root",
    commands: [...CATALOGUE, "doctor", "config"],
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
    commands: [...CATALOGUE, "doctor", "config"],
    value: "required",
    metavar: "FILE",
    help: "The configuration (default: toolcall.json in the root folder, and the user's own)",
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
    name: "no-links",
    commands: CALLS,
    value: "none",
    help: "Refuse the call when a path of the flags goes through a symbolic link by now",
  },
  {
    name: "audit",
    commands: CALLS,
    value: "required",
    metavar: "FILE",
    help: "Append a line of JSON about each call to this file",
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
    commands: [...CALLS, "grammar"],
    value: "none",
    help:
      "Take arguments as they are given, and repair none; a grammar that leaves anything out fails",
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
    commands: ["call", "list", "describe", "doctor", "tasks", "config"],
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
  { name: "help", short: "h", value: "none", help: "Print help and exit" },
  { name: "version", short: "V", value: "none", help: "Print the version and exit" },
];
