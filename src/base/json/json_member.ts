import {
  createScanner,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { quote } from "../text/quote.ts";

/**
 * Sets or removes one member in a JSON text, which may have comments and trailing commas. `path` has
 * the names from the outermost object to the member: in a list an index, or `-` for one more. `value`
 * is a JSON value, or `undefined`, which removes the member. Missing
 * objects on the path are added, and every other byte stays. A blank text counts as `{}`. Throws
 * for a text that is not JSON, a path through anything but objects and lists, an index beyond the
 * end of a list, and a name that occurs twice.
 */
export function setJsonMember(
  text: string,
  { path, value }: { path: readonly [string, ...string[]]; value: unknown },
): string {
  if (text.trim() === "") text += "{}\n";
  let node = rootOf(text);
  for (const [at, name] of path.entries()) {
    const place = at === 0
      ? "the document"
      : path.slice(0, at).map((each) => quote(each)).join(".");
    const index = childAt(node, { name, place });
    const child = node.children?.[index];
    if (child === undefined) {
      if (value === undefined) return text;
      const inner = nested(path.slice(at + 1), value);
      return inserted(text, { container: node, name, value: inner });
    }
    if (value === undefined && at === path.length - 1) return withoutChild(text, node, index);
    node = child.type === "property" ? child.children![1]! : child;
  }
  if (JSON.stringify(getNodeValue(node)) === JSON.stringify(value)) return text;
  const indent = lineIndent(text, node.parent?.offset ?? node.offset);
  return text.slice(0, node.offset) + rendered(text, { value, indent }) +
    text.slice(node.offset + node.length);
}

/** The value of a member, or `undefined`; throws as {@link setJsonMember} does. */
export function readJsonMember(text: string, path: readonly string[]): unknown {
  let node: Node | undefined = text.trim() === "" ? undefined : rootOf(text);
  for (const name of path) {
    const index = node?.type === "object" ? indexOf(node, name) : -1;
    node = node?.children?.[index]?.children?.[1];
  }
  return node && getNodeValue(node);
}

function rootOf(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error === undefined && root !== undefined) return root;
  const line = text.slice(0, error?.offset ?? 0).split("\n").length;
  const what = error === undefined ? "" : ` (${printParseErrorCode(error.error)})`;
  throw new Error(`it is not valid JSON: line ${line}${what}`);
}

/**
 * The index of the child that a name means in an object or list; for a missing one, -1 or the end.
 */
function childAt(node: Node, { name, place }: { name: string; place: string }): number {
  if (node.type === "object") return indexOf(node, name);
  const isIndex = /^(0|[1-9]\d{0,8}|-)$/.test(name);
  if (node.type !== "array" || !isIndex) throw new Error(`${place} is not an object`);
  const { length } = node.children ?? [];
  const index = name === "-" ? length! : Number(name);
  if (index > length!) throw new Error(`${place} is a list of ${length} items`);
  return index;
}

function indexOf(object: Node, name: string): number {
  const names = (object.children ?? []).map(({ children }) => children?.[0]?.value);
  const index = names.indexOf(name);
  if (index !== names.lastIndexOf(name)) throw new Error(`it has ${quote(name)} twice; remove one`);
  return index;
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, name) => name === "-" ? [inner] : { [name]: inner }, value);
}

/** Adds a child at the end of an object or list, after the comments. */
function inserted(
  text: string,
  { container, name, value }: { container: Node; name: string; value: unknown },
): string {
  const close = container.offset + container.length - 1;
  const end = text.slice(0, close).trimEnd().length;
  const children = container.children ?? [];
  const [first, last] = [children[0], children.at(-1)];
  const isList = container.type === "array";
  const key = isList ? "" : `${JSON.stringify(name)}: `;
  const isInline = !/[\r\n]/.test(text.slice(container.offset, close));
  if (isInline && (first !== undefined || isList)) {
    const blank = first === undefined ? "" : " ";
    const member = `${blank}${key}${JSON.stringify(value)}`;
    return withComma(text.slice(0, end), last) + member + text.slice(end);
  }
  const outer = lineIndent(text, container.offset);
  const indent = first && startsLine(text, first.offset)
    ? lineIndent(text, first.offset)
    : outer + unitOf(text);
  const eol = eolOf(text);
  const member = `${eol}${indent}${key}${rendered(text, { value, indent })}`;
  const tail = text.slice(end, close).includes("\n") ? "" : eol + outer;
  return withComma(text.slice(0, end), last) + member + tail + text.slice(end);
}

/** Adds a comma after `last`, unless it is `undefined` or has a comma. */
function withComma(text: string, last: Node | undefined): string {
  if (last === undefined || commaAfter(text, last) !== undefined) return text;
  const end = last.offset + last.length;
  return `${text.slice(0, end)},${text.slice(end)}`;
}

function rendered(text: string, { value, indent }: { value: unknown; indent: string }): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll("\n", eolOf(text) + indent);
}

/**
 * Removes one child of an object or list, and its line if nothing else is in it. Every comment
 * stays.
 */
function withoutChild(text: string, container: Node, index: number): string {
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

/**
 * The start of a cut. It includes the blanks before it, unless text remains after it in the line.
 */
function cutStart(text: string, { offset, isLast }: { offset: number; isLast: boolean }): number {
  if (startsLine(text, offset)) return offset - lineIndent(text, offset).length;
  if (!isLast) return offset;
  return text.slice(0, offset).replace(/[ \t]+$/, "").length;
}

/** The text after a cut. */
function restAfter(
  text: string,
  { from, rest, isLast }: { from: number; rest: number; isLast: boolean },
): string {
  const after = text.slice(rest);
  if (!startsLine(text, from)) return isLast ? after : after.replace(/^[ \t]+/, "");
  const line = /^[ \t]*(\r?\n)/.exec(after)?.[0];
  // The rest of the line keeps the indentation of the line.
  return line === undefined
    ? text.slice(from).match(/^[ \t]*/)![0] + after.trimStart()
    : after.slice(line.length);
}

/** The offset of the comma that comes next after a node, comments aside; `undefined` for none. */
function commaAfter(text: string, { offset, length }: Node): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset + length);
  scanner.scan();
  return text[scanner.getTokenOffset()] === "," ? scanner.getTokenOffset() : undefined;
}

/** The line end of a text. */
function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** The blanks that indent one level of a JSON text. */
function unitOf(text: string): string {
  return /\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
}

/** The blanks at the start of the line that contains an offset. */
function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))![0];
}

/** Returns whether only blanks precede an offset in its line. */
function startsLine(text: string, offset: number): boolean {
  return text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset).trim() === "";
}
