import type { Named } from "./api_names.ts";

/**
 * Whether `pattern` names the tool: it is its name or an alias, or, with `*` for any
 * characters, fits its name. Letter case counts.
 */
export function namesTool(pattern: string, { name, aliases }: Named): boolean {
  if (!isPattern(pattern)) return pattern === name || aliases.includes(pattern);
  const parts = pattern.split("*").map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(name);
}

/** Whether it stands for more than one name. */
export function isPattern(name: string): boolean {
  return name.includes("*");
}
