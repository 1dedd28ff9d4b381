import { isSecretName, LOG_MASK, maskFor } from "../audit/mask.ts";
import { isObject } from "../../base/json/is_object.ts";

/** What stands where a secret may stand. */
export const MASK = "***";

/** What of a server is shown, without what looks like a secret. */
const SHOWN = [
  ...["type", "command", "args", "cwd", "timeout", "startTimeout", "disabled", "description"],
];

/** A configuration without what servers are given in confidence: what names a variable stays. */
export function maskedConfig(config: Record<string, unknown>): Record<string, unknown> {
  if (!Object.hasOwn(config, "mcpServers")) return config;
  return { ...config, mcpServers: eachOf(config["mcpServers"], maskedServer) };
}

function maskedServer(server: unknown): unknown {
  return eachOf(server, (value, key) => {
    if (key === "url" && typeof value === "string") return maskedUrl(value);
    return SHOWN.includes(key) ? withoutSecrets(value) : maskedText(value);
  });
}

const byLooks = maskFor({});

/** Programs are given secrets as arguments too: `--token=…`, `--api-key`, `postgres://user:…@host`. */
function withoutSecrets(value: unknown): unknown {
  if (typeof value === "string") return byLooks(value).replaceAll(LOG_MASK, MASK);
  if (!Array.isArray(value)) return isObject(value) ? maskedText(value) : value;
  return value.map((item, index) => {
    const option = value[index - 1];
    const isNamed = typeof option === "string" && /^--?[\w-]+$/.test(option) &&
      isSecretName(option);
    return isNamed ? maskedText(item) : withoutSecrets(item);
  });
}

/** The values of an object, each made into another; of what is none nothing is shown. */
function eachOf(object: unknown, change: (value: unknown, key: string) => unknown): unknown {
  if (!isObject(object)) return MASK;
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, change(value, key)]),
  );
}

function maskedText(value: unknown): unknown {
  if (isObject(value)) return eachOf(value, maskedText);
  return typeof value === "string" && /^(\$\{(env:)?\w+\})+$/.test(value) ? value : MASK;
}

/** A part of a path that may be a key, as services put them there. */
const LONG_PART = /(?<=[/\\])[^/\\]{16,}/g;

/**
 * An address without its user, password, query and fragment, however its slashes are written,
 * and without long parts of its path.
 */
function maskedUrl(url: string): string {
  // What is cut off may begin within a password, which is wrong there and a secret all the same.
  if (/^[^:]*:[/\\]*(?![/\\])[^/\\?#]*[?#].*@/s.test(url)) return MASK;
  const address = url.replace(/[?#].*$/s, "").replace(/^([^:]*:[/\\]*).*@/s, `$1${MASK}@`);
  const [host] = /^[^:]*:[/\\]*[^/\\]*/.exec(address) ?? [""];
  const path = address.slice(host.length).replace(LONG_PART, (part) => `${maskedText(part)}`);
  return `${host}${path}${/[?#]/.test(url) ? `?${MASK}` : ""}`;
}
