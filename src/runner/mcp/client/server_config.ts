import { isObject } from "../../../base/json/is_object.ts";
import { quote } from "../../../base/text/quote.ts";
import { hint, nearest } from "../../../base/text/nearest.ts";
import type { Expansion } from "./expand.ts";
import { serverNameFault } from "./tool_names.ts";

/** How long a server may take to start, and a call of it, where nothing is said, in milliseconds. */
const [START_MS, CALL_MS] = [30_000, 120_000];

/** A server that is a program, spoken to over its stdin and stdout. */
export interface ProgramServer {
  /** How it is spoken to. */
  type: "stdio";
  /** The program: a name that is looked up in PATH, or a path. */
  command: string;
  /** Its arguments. */
  args: readonly string[];
  /** Its own environment variables. */
  env: Readonly<Record<string, string>>;
  /** The folder that it runs in, as it was given. */
  cwd?: string;
}

/** A server at an address; of `any` the older transport is tried when it refuses the newer one. */
export interface RemoteServer {
  /** How it is spoken to. */
  type: "http" | "sse" | "any";
  /** Its address. */
  url: string;
  /** Header fields for every request. */
  headers: Readonly<Record<string, string>>;
}

/** A server as the configuration has it, complete. */
export interface ServerConfig {
  /** Its name. */
  name: string;
  /** How it is reached. */
  place: ProgramServer | RemoteServer;
  /** How long a call may take, in milliseconds. */
  timeoutMs: number;
  /** How long it may take to start and to list its tools, in milliseconds each. */
  startMs: number;
  /** What is never to be shown. */
  secrets: readonly string[];
  /** The entry as it stands in the file, and which file, for telling whether it is the same. */
  source: string;
}

type Entry = Record<string, unknown>;

/** What each key of an entry holds. */
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
 * The server that an entry of `mcpServers` describes; `undefined` for one that is disabled.
 * Throws an error that says what is wrong with it and shows no value.
 */
export function serverOf(
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

/** What an entry holds in clear that may be secret. */
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
