/** The sentence for a permission that was not granted. */
import { quote } from "../../../base/text/quote.ts";
import type { Permission } from "../../registry/define.ts";
import { type Decision, valueOf } from "./grants.ts";

/** The act that each permission allows, in words. */
const ACTS: Readonly<Record<Permission["name"], string>> = {
  read: "reading",
  write: "writing",
  run: "running",
  net: "connecting to",
  env: "reading the variable",
  sys: "asking the system for",
  mcp: "using the MCP server",
};

/** Returns the sentence for a permission that was not granted, with the flag to change. */
export function denialText(
  { permission, flag, denied, why }: Omit<Decision, "granted" | "why"> & {
    why?: string | undefined;
  },
): string {
  const words = /^[\w./@:+,=-]+$/.test(flag) ? flag : quote(flag, 4096);
  const reason = why === undefined ? "" : ` (${why})`;
  const decision = denied ? `is denied by ${words}` : `needs ${words}`;
  const what = `${ACTS[permission.name]} ${quote(valueOf(permission))}`;
  return `Permission denied: ${what} ${decision}${reason}`;
}
