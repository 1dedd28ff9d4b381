import type { Node } from "jsonc-parser";
import { commaAfter, lineIndent, startsLine } from "./json_text.ts";

/**
 * A JSON text without one child of an object or list. Its line goes too where nothing else
 * stands in it; every comment stays.
 */
export function withoutChild(text: string, container: Node, index: number): string {
  const child = container.children![index]!;
  const comma = commaAfter(text, child);
  const end = child.offset + child.length;
  const isNear = comma !== undefined && /^[ \t]*$/.test(text.slice(end, comma));
  const from = cutStart(text, { offset: child.offset, isLast: comma === undefined });
  const rest = isNear ? comma + 1 : end;
  let result = text.slice(0, from) + restAfter(text, { from, rest, isLast: comma === undefined });
  if (comma !== undefined && !isNear) {
    const at = comma - (text.length - result.length);
    result = result.slice(0, at) + result.slice(at + 1);
  }
  const before = comma === undefined ? container.children![index - 1] : undefined;
  const earlier = before && commaAfter(text, before);
  if (earlier === undefined) return result;
  return result.slice(0, earlier) + result.slice(earlier + 1);
}

/** Where a cut begins: with the blanks before it, but for one that leaves something behind it. */
function cutStart(text: string, { offset, isLast }: { offset: number; isLast: boolean }): number {
  if (startsLine(text, offset)) return offset - lineIndent(text, offset).length;
  if (!isLast) return offset;
  return text.slice(0, offset).replace(/[ \t]+$/, "").length;
}

/** What is left after a cut. */
function restAfter(
  text: string,
  { from, rest, isLast }: { from: number; rest: number; isLast: boolean },
): string {
  const after = text.slice(rest);
  if (!startsLine(text, from)) return isLast ? after : after.replace(/^[ \t]+/, "");
  const line = /^[ \t]*(\r?\n)/.exec(after)?.[0];
  // The blanks that the line began with are those of what is left in it.
  return line === undefined
    ? text.slice(from).match(/^[ \t]*/)![0] + after.trimStart()
    : after.slice(line.length);
}
