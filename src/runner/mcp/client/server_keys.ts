import { parseDuration } from "../../../base/duration.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { quote } from "../../../base/text/quote.ts";
import { hint, nearest } from "../../../base/text/nearest.ts";

/** The transports by their names in the configuration. */
export const TRANSPORTS = {
  stdio: "stdio",
  http: "http",
  "streamable-http": "http",
  sse: "sse",
} as const;

/** The type of each key of an entry. */
const KEYS: Readonly<Record<string, [what: string, fits: (value: unknown) => boolean]>> = {
  type: [
    "stdio, http, streamable-http or sse",
    (value) => isString(value) && Object.hasOwn(TRANSPORTS, value),
  ],
  command: ["a string", isText],
  args: ["a list of strings", (value) => Array.isArray(value) && value.every(isString)],
  env: ["an object of strings", isRecord],
  cwd: ["a string", isText],
  url: ["a string", isText],
  headers: ["an object of strings", isRecord],
  oauth: ["an object", isObject],
  timeout: ["milliseconds, 1 or more", isMilliseconds],
  startTimeout: ["milliseconds, 1 or more", isMilliseconds],
  keepAlive: ["a time from 1s to 24h, such as 10m", (value) => keepMsOf(value) !== undefined],
  sampling: ["true or false", isBoolean],
  disabled: ["true or false", isBoolean],
  description: ["a string", isString],
};

/** Checks the keys of an entry of `mcpServers`. Throws an error that says what is wrong. */
export function checkServerKeys(entry: Record<string, unknown>): void {
  const known = Object.keys(KEYS);
  for (const [key, value] of Object.entries(entry)) {
    if (!Object.hasOwn(KEYS, key)) {
      const near = hint(nearest(key, known), known.join(", ")).replace('see "', 'available: "');
      throw new Error(`it has no key ${quote(key)}; ${near}`);
    }
    const [what, fits] = KEYS[key]!;
    if (!fits(value)) throw new Error(`${quote(key)} must be ${what}`);
  }
  const [hasCommand, hasUrl] = ["command", "url"].map((key) => entry[key] !== undefined);
  if (hasCommand === hasUrl) {
    throw new Error('it must have either "command", for a program, or "url"');
  }
  const { type } = entry;
  const main = quote(hasCommand ? "command" : "url");
  if (type !== undefined && (type === "stdio") !== hasCommand) {
    throw new Error(`"type" is ${quote(String(type))}, which cannot be combined with ${main}`);
  }
  const others = hasCommand ? ["headers", "oauth"] : ["args", "env", "cwd", "keepAlive"];
  const wrong = others.find((key) => entry[key] !== undefined);
  if (wrong === undefined) return;
  const why = wrong === "keepAlive"
    ? ": toolcall starts no program there, and every call has a session of its own; to keep a " +
      'session, use "toolcall mcp" in front of the server'
    : "";
  throw new Error(`${quote(wrong)} cannot be combined with ${main}${why}`);
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

/** Returns the milliseconds of `keepAlive`; `undefined` for an invalid value. */
export function keepMsOf(value: unknown): number | undefined {
  return isString(value) ? parseDuration(value, { min: 1_000, max: 86_400_000 }) : undefined;
}

function isMilliseconds(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 2 ** 31 - 1;
}

function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}
