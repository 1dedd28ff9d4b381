import { MASK } from "../../base/text/redact.ts";
import { isSecretName, redactPatterns } from "../../base/text/secret_patterns.ts";
import { isObject } from "../../base/json/is_object.ts";

/** The keys of a server whose values are shown, apart from what looks like a secret. */
const SHOWN = [
  ...["type", "command", "args", "cwd", "timeout", "startTimeout", "disabled", "description"],
];

/** A copy of a configuration without the secrets of its MCP servers. Names of variables stay. */
export function redactConfig(config: Record<string, unknown>): Record<string, unknown> {
  if (!Object.hasOwn(config, "mcpServers")) return config;
  return { ...config, mcpServers: mapValues(config["mcpServers"], redactServer) };
}

function redactServer(server: unknown): unknown {
  return mapValues(server, (value, key) => {
    if (key === "url" && typeof value === "string") return redactUrl(value);
    return SHOWN.includes(key) ? redactShown(value) : redactValue(value);
  });
}

/** Arguments of programs may be secrets: `--token=…`, `--api-key`, `postgres://user:…@host`. */
function redactShown(value: unknown): unknown {
  if (typeof value === "string") return redactPatterns(value, MASK);
  if (!Array.isArray(value)) return isObject(value) ? redactValue(value) : value;
  return value.map((item, index) => {
    const option = value[index - 1];
    const isNamed = typeof option === "string" && /^--?[\w-]+$/.test(option) &&
      isSecretName(option);
    return isNamed ? redactValue(item) : redactShown(item);
  });
}

/** A copy of an object with other values. A value that is not an object is redacted. */
function mapValues(object: unknown, change: (value: unknown, key: string) => unknown): unknown {
  if (!isObject(object)) return MASK;
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, change(value, key)]),
  );
}

function redactValue(value: unknown): unknown {
  if (isObject(value)) return mapValues(value, redactValue);
  return typeof value === "string" && /^(\$\{(env:)?\w+\})+$/.test(value) ? value : MASK;
}

/** A long part of a path. Some services put the key into the path of their address. */
const LONG_PART = /(?<=[/\\])[^/\\]{16,}/g;

/**
 * An address without its user, password, query and fragment, and without long parts of its path.
 * Its slashes may also be backslashes.
 */
function redactUrl(url: string): string {
  // A `?` or `#` before the `@` may be part of a password that was not escaped.
  if (/^[^:]*:[/\\]*(?![/\\])[^/\\?#]*[?#].*@/s.test(url)) return MASK;
  const address = url.replace(/[?#].*$/s, "").replace(/^([^:]*:[/\\]*).*@/s, `$1${MASK}@`);
  const [host] = /^[^:]*:[/\\]*[^/\\]*/.exec(address) ?? [""];
  const path = address.slice(host.length).replace(LONG_PART, (part) => `${redactValue(part)}`);
  return `${host}${path}${/[?#]/.test(url) ? `?${MASK}` : ""}`;
}
