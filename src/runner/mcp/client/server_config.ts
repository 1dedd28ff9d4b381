import { isObject } from "../../../base/json/is_object.ts";
import { type OAuthConfig, parseOAuth } from "../oauth/oauth_config.ts";
import { checkServerKeys, keepMsOf, TRANSPORTS } from "./server_keys.ts";
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
  /** How to get tokens for it, if that is configured. */
  oauth?: OAuthConfig;
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
  /** The time that it runs without a call, in milliseconds. Missing if it ends with the call. */
  keepMs?: number;
  /** Whether the configured model answers its requests for sampling. */
  sampling: boolean;
  /** The texts that must never be shown. Tokens are added when they are read. */
  secrets: string[];
  /** The configuration file. */
  file?: string;
  /** The file and its entry as text, by which a changed entry is recognised. */
  source: string;
}

/** `${NAME}`, `${NAME:-default}`, and `${env:NAME}` as some editors write it. */
const VARIABLE = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/**
 * Parses an entry of `mcpServers`, whose texts may contain variables of the environment. Returns
 * `undefined` for a disabled one. Throws an error that says what is wrong with it and shows no value.
 */
export function parseServer(
  name: string,
  entry: unknown,
  environment: Readonly<Record<string, string>>,
): ServerConfig | undefined {
  const fault = serverNameFault(name);
  if (fault !== undefined) throw new Error(fault);
  if (!isObject(entry)) throw new Error("it must be an object");
  checkServerKeys(entry);
  if (entry["disabled"] === true) return undefined;
  const { timeout = CALL_MS, startTimeout = START_MS, keepAlive } = entry;
  const secrets: string[] = [];
  const expand: Expand = (text) =>
    (text as string).replace(VARIABLE, (_, variable: string, other: string | undefined) => {
      const value = Object.hasOwn(environment, variable) ? environment[variable] : undefined;
      // As in a shell, the default also replaces an empty value.
      if (other !== undefined && (value === undefined || value === "")) return other;
      if (value === undefined) {
        const advice = `set it, or write \${${variable}:-default}`;
        throw new Error(`the environment variable ${variable} is not set; ${advice}`);
      }
      secrets.push(value);
      return value;
    });
  const place = entry["command"] === undefined ? remoteOf(entry, expand) : programOf(entry, expand);
  return {
    name,
    place,
    timeoutMs: timeout as number,
    startMs: startTimeout as number,
    ...(keepAlive !== undefined && { keepMs: keepMsOf(keepAlive)! }),
    sampling: entry["sampling"] === true,
    secrets: [...secrets, ...secretsOf(place)],
    source: JSON.stringify(entry),
  };
}

/** Replaces the variables in a string. Throws for one that is not set and has no default. */
type Expand = (text: unknown) => string;

function programOf(entry: Record<string, unknown>, expand: Expand): ProgramServer {
  const { command, cwd, args = [] } = entry;
  return {
    type: "stdio",
    command: expand(command),
    args: (args as string[]).map(expand),
    env: expandRecord(entry["env"], expand),
    ...(cwd !== undefined && { cwd: expand(cwd) }),
  };
}

function remoteOf(entry: Record<string, unknown>, expand: Expand): RemoteServer {
  const url = expand(entry["url"]);
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new Error('"url" must be an address that starts with http:// or https://');
  }
  const type = entry["type"] as keyof typeof TRANSPORTS | undefined;
  const headers = expandRecord(entry["headers"], expand);
  const { oauth } = entry;
  return {
    type: type === undefined ? "any" : TRANSPORTS[type] as "http" | "sse",
    ...{ url, headers },
    ...(oauth !== undefined && { oauth: parseOAuth(oauth, { expand, headers }) }),
  };
}

function expandRecord(record: unknown, expand: Expand): Record<string, string> {
  const entries = Object.entries(record ?? {}).map(([key, value]) => [key, expand(value)]);
  return Object.fromEntries(entries);
}

/** Returns the values of an entry that may be secret. */
function secretsOf(place: ProgramServer | RemoteServer): string[] {
  if (place.type === "stdio") return Object.values(place.env);
  const { username, password, searchParams } = new URL(place.url);
  return [
    ...Object.values(place.headers),
    ...[username, password].map(decodeURIComponent),
    ...searchParams.values(),
    ...place.oauth?.secrets ?? [],
  ];
}
