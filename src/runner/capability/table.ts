import type { Capability } from "./capability.ts";
import { program } from "./program.ts";

/** The shape of the name of a program in PATH. */
const PROGRAM = /^[a-z0-9][a-z0-9._+-]*$/;
/** The prefix of capabilities that are a single MCP server. */
const SERVER = "MCP server ";

const machine = () => import("./machine.ts");
const servers = () => import("./servers.ts");

/** All capabilities apart from programs in PATH. */
const table: Readonly<Record<string, Capability>> = {
  bwrap: {
    ...program("bwrap"),
    examine: async (place) => (await machine()).examineBubblewrap(place),
  },
  landlock: {
    purpose: "the kernel's sandbox for files and programs",
    find: async () => (await machine()).findLandlock(),
  },
  state: {
    purpose: "data that outlives a call",
    find: async (place) => (await machine()).findStore(place, false),
    examine: async (place) => (await machine()).findStore(place, true),
  },
  model: {
    purpose: "a model behind an OpenAI-compatible API",
    find: async (place) => (await place.program.providers()).findModel(place),
  },
  "search provider": {
    purpose: "a provider of web search",
    find: async (place) => (await place.program.providers()).findSearchProvider(place),
  },
  notion: {
    purpose: "a key for Notion's API",
    find: async (place) => (await place.program.providers()).findNotion(place),
  },
  "MCP server": {
    purpose: "an MCP server in the configuration",
    find: async (place) => (await servers()).findServer(place),
  },
};

/**
 * The capability of that name in `requires`: one of the table, one MCP server (`MCP server NAME`),
 * or a program in PATH. Undefined for a name of another form.
 */
export function capabilityNamed(name: string): Capability | undefined {
  if (Object.hasOwn(table, name)) return table[name];
  if (PROGRAM.test(name)) return program(name);
  if (!name.startsWith(SERVER)) return undefined;
  const server = name.slice(SERVER.length);
  return {
    purpose: "an MCP server of the configuration",
    find: async (place) => (await servers()).findServer(place, server),
  };
}
