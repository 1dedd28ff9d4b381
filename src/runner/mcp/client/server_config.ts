import { isObject } from "../../../base/json/is_object.ts";
import { quote } from "../../../base/text/quote.ts";
import { hint, nearest } from "../../../base/text/nearest.ts";
import type { Expansion } from "./expand.ts";
import { serverNameFault } from "./tool_names.ts";

/** The default timeouts of the start of a server and of a call, in milliseconds. */
const [START_MS, CALL_MS] = [30_000, 120_000];

/** A server that is a program, which uses its stdin and stdout. */
export interface ProgramServer {
  /** The transport. */
  type: "stdio";
  /** The program: a name to look up in PATH, or a path. */
  command: string;
  /** Its arguments. */
  args: readonly string[];
  /** Its own environment variables. */
  env: Readonly<Record<string, string>>;
  /** Its working directory, as configured. */
  cwd?: string;
}

/** A server at an address. For `any`, SSE is tried if the server refuses streamable HTTP. */
export interface RemoteServer {
  /** The transport. */
  type: "http" | "sse" | "any";
  /** Its address. */
  url: string;
  /** Header fields for every request. */
  headers: Readonly<Record<string, string>>;
}

/** One server of the configuration, with defaults applied. */
export interface ServerConfig {
  /** Its name. */
  name: string;
  /** Its program or its address. */
  place: ProgramServer | RemoteServer;
  /** The timeout of a call, in milliseconds. */
  timeoutMs: number;
  /** The timeout of the start and of listing its tools, in milliseconds each. */
  startMs: number;
  /** The texts that must never be shown. */
  secrets: readonly string[];
  /** The file and its entry as text, by which a changed entry is recognised. */
  source: string;
}

type Entry = Record<string, unknown>;

/** The type of each key of an entry. */
const KEYS: Readonly<Record<string, [what: string, fits: (value: unknown) => boolean]>> = {
  type: [
    "stdio, http, streamable-http or sse",
    (value) => isString(value) && Object.hasOwn(TYPES, value),
  ],
  command: ["a text", isText],
  args: ["a list of texts", (value) => Array.isArray(value) && value.every(isString)],
  env: ["an object of texts", isRecord],
  cwd: ["a text", isText],
  url: ["a text", isText],
  headers: ["an object of texts", isRecord],
  timeout: ["milliseconds, 1 or more", isMilliseconds],
  startTimeout: ["milliseconds, 1 or more", isMilliseconds],
  disabled: ["true or false", (value) => typeof value === "boolean"],
  description: ["a text", isString],
};

const TYPES = { stdio: "stdio", http: "http", "streamable-http": "http", sse: "sse" } as const;

/**
 * Parses an entry of `mcpServers`. Returns `undefined` for a disabled one. Throws an error that says
 * what is wrong with it and shows no value.
 */
export function parseServer(
  name: string,
  entry: unknown,
  expansion: Expansion,
): ServerConfig | undefined {
  const fault = serverNameFault(name);
  if (fault !== undefined) throw new Error(fault);
  if (!isObject(entry)) throw new Error("it has to be an object");
  checkKeys(entry);
  if (entry["disabled"] === true) return undefined;
  const { timeout = CALL_MS, startTimeout = START_MS } = entry;
  const place = entry["command"] === undefined
    ? remoteOf(entry, expansion)
    : programOf(entry, expansion);
  return {
    name,
    place,
    timeoutMs: timeout as number,
    startMs: startTimeout as number,
    secrets: [...expansion.secrets, ...secretsOf(place)],
    source: JSON.stringify(entry),
  };
}

function checkKeys(entry: Entry): void {
  const known = Object.keys(KEYS);
  for (const [key, value] of Object.entries(entry)) {
    if (!Object.hasOwn(KEYS, key)) {
      const near = hint(nearest(key, known), known.join(", ")).replace('see "', 'known are "');
      throw new Error(`it has no key ${quote(key)}; ${near}`);
    }
    const [what, fits] = KEYS[key]!;
    if (!fits(value)) throw new Error(`${quote(key)} has to be ${what}`);
  }
  const [hasCommand, hasUrl] = ["command", "url"].map((key) => entry[key] !== undefined);
  if (hasCommand === hasUrl) {
    throw new Error('it has to have either "command", for a program, or "url"');
  }
  if (entry["type"] !== undefined && (entry["type"] === "stdio") !== hasCommand) {
    throw new Error(
      `"type" is ${quote(String(entry["type"]))}, which does not go with ${
        quote(hasCommand ? "command" : "url")
      }`,
    );
  }
  const others = hasCommand ? ["headers"] : ["args", "env", "cwd"];
  const wrong = others.find((key) => entry[key] !== undefined);
  if (wrong === undefined) return;
  throw new Error(`${quote(wrong)} does not go with ${quote(hasCommand ? "command" : "url")}`);
}

function programOf(entry: Entry, expansion: Expansion): ProgramServer {
  const { cwd, args = [] } = entry;
  return {
    type: "stdio",
    command: expansion.text(entry["command"] as string),
    args: (args as string[]).map((each) => expansion.text(each)),
    env: expandedRecord(entry["env"], expansion),
    ...(cwd !== undefined && { cwd: expansion.text(cwd as string) }),
  };
}

function remoteOf(entry: Entry, expansion: Expansion): RemoteServer {
  const url = expansion.text(entry["url"] as string);
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new Error('"url" has to be an address that starts with http:// or https://');
  }
  const type = entry["type"] as keyof typeof TYPES | undefined;
  return {
    type: type === undefined ? "any" : TYPES[type] as "http" | "sse",
    url,
    headers: expandedRecord(entry["headers"], expansion),
  };
}

function expandedRecord(record: unknown, expansion: Expansion): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record ?? {}).map(([key, value]) => [key, expansion.text(value as string)]),
  );
}

/** Returns the values of an entry that may be secret. */
function secretsOf(place: ProgramServer | RemoteServer): string[] {
  if (place.type === "stdio") return Object.values(place.env);
  const { username, password, searchParams } = new URL(place.url);
  return [
    ...Object.values(place.headers),
    ...[username, password].map(decodeURIComponent),
    ...searchParams.values(),
  ];
}

function isRecord(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isString);
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function isText(value: unknown): boolean {
  return isString(value) && value !== "" && !value.includes("\0");
}

function isMilliseconds(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 2 ** 31 - 1;
}
