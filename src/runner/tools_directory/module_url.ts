/**
 * Modules as URLs that hold their text. So the text that was checked is the text that is loaded, and
 * a thread needs no permission to load it.
 */

import type { ToolFault } from "./fault.ts";

/** The URL in a stack: it has the name of the file, and the runtime may shorten the text in it. */
const IN_STACK =
  /data:(?:text|application)\/(?:javascript|typescript);file=([^;,]+);base64,[A-Za-z0-9+/=.]*(?::(\d+))?(?::\d+)?/;

/** The URL of a module. `file` is its path in the tools directory. */
export function moduleUrl(
  file: string,
  text: string,
  type: "text/javascript" | "application/typescript" = "text/javascript",
): string {
  const name = encodeURIComponent(file);
  return `data:${type};file=${name};base64,${new TextEncoder().encode(text).toBase64()}`;
}

/** The place of an error that the runtime reported for such a module. */
export function placeIn(report: string): Pick<ToolFault, "file" | "line"> | undefined {
  for (const [, file, line] of report.matchAll(new RegExp(IN_STACK.source, "g"))) {
    // A message may name an imported module before the place of the import.
    if (line !== undefined) return { file: decodeURIComponent(file!), line: Number(line) };
  }
  return undefined;
}

/** A message of the runtime without such URLs. */
export function withoutUrls(message: string): string {
  return message
    .replace(/^(?:TypeError: )?(?:SyntaxError: )?/, "")
    .replace(new RegExp(`\\s+at (?:async )?${IN_STACK.source}`, "g"), "")
    .replace(new RegExp(IN_STACK.source, "g"), (_, file) => decodeURIComponent(file))
    .replace(/\n {2}\|[^]*$/, "")
    .trim();
}
