import type { Named } from "./api_names.ts";

/**
 * Whether `pattern` names the tool: it is its name or an alias, or, with `*` for any
 * characters, fits its name. Letter case counts.
 */
export function namesTool(pattern: string, { name, aliases }: Named): boolean {
  if (!isPattern(pattern)) return pattern === name || aliases.includes(pattern);
  const [start, ...parts] = pattern.split("*") as [string, ...string[]];
  const end = parts.pop()!;
  if (!name.startsWith(start) || !name.endsWith(end)) return false;
  // Each part where it is first found: a regular expression could try its stars without end.
  let at = start.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= name.length - end.length;
}

/** Whether it stands for more than one name. */
export function isPattern(name: string): boolean {
  return name.includes("*");
}
