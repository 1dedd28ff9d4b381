import { isObject } from "../is_object.ts";

/** What stands where a secret may stand. */
export const MASK = "***";

/** What of a server is shown as it is. */
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
    return SHOWN.includes(key) ? value : maskedText(value);
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

/** An address without its user, password, query and fragment. */
function maskedUrl(url: string): string {
  return url.replace(/[?#].*$/s, `?${MASK}`).replace(/\/\/.*@/s, `//${MASK}@`);
}
