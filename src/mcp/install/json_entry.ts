import {
  createScanner,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { quote } from "../../quote.ts";

/** A member that is to have a value, and the members of objects that lead to it. */
export interface JsonMember {
  /** The names from the outermost object to the member. */
  path: readonly [string, ...string[]];
  /** Its value, of what JSON can say. */
  value: unknown;
}

/**
 * A JSON text, comments and trailing commas allowed, in which one member has a value:
 * what is missing on the way is added, and every other byte stays. A blank text counts
 * as `{}`. Throws for a text that is not JSON, and where something else than an object
 * stands on the way or a name stands there twice.
 */
export function withJsonMember(text: string, { path, value }: JsonMember): string {
  if (text.trim() === "") text += "{}\n";
  let node = rootOf(text);
  for (const [at, name] of path.entries()) {
    if (node.type !== "object") {
      const place = at === 0
        ? "the document"
        : path.slice(0, at).map((each) => quote(each)).join(".");
      throw new Error(`${place} is not an object`);
    }
    const found = memberOf(node, name);
    if (found === undefined) {
      return inserted(text, { object: node, name, value: nested(path.slice(at + 1), value) });
    }
    node = found;
  }
  if (JSON.stringify(getNodeValue(node)) === JSON.stringify(value)) return text;
  const indent = lineIndent(text, node.parent?.offset ?? node.offset);
  return text.slice(0, node.offset) + rendered(text, { value, indent }) +
    text.slice(node.offset + node.length);
}

/** The value of a member, or `undefined`; throws as {@link withJsonMember} does. */
export function jsonMember(text: string, path: readonly string[]): unknown {
  let node: Node | undefined = text.trim() === "" ? undefined : rootOf(text);
  for (const name of path) node = node?.type === "object" ? memberOf(node, name) : undefined;
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

function memberOf(object: Node, name: string): Node | undefined {
  const found = (object.children ?? []).filter(({ children }) => children?.[0]?.value === name);
  if (found.length > 1) throw new Error(`it has ${quote(name)} twice; remove one`);
  return found[0]?.children?.[1];
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, name) => ({ [name]: inner }), value);
}

/** Adds a member after all there is in an object, comments too. */
function inserted(
  text: string,
  { object, name, value }: { object: Node; name: string; value: unknown },
): string {
  const close = object.offset + object.length - 1;
  const end = text.slice(0, close).trimEnd().length;
  const members = object.children ?? [];
  const [first, last] = [members[0], members.at(-1)];
  const isInline = first !== undefined && !text.slice(object.offset, close).includes("\n");
  if (isInline) {
    const member = ` ${JSON.stringify(name)}: ${JSON.stringify(value)}`;
    return withComma(text.slice(0, end), last) + member + text.slice(end);
  }
  const outer = lineIndent(text, object.offset);
  const indent = first && startsLine(text, first.offset)
    ? lineIndent(text, first.offset)
    : outer + unitOf(text);
  const eol = eolOf(text);
  const member = `${eol}${indent}${JSON.stringify(name)}: ${rendered(text, { value, indent })}`;
  const tail = text.slice(end, close).includes("\n") ? "" : eol + outer;
  return withComma(text.slice(0, end), last) + member + tail + text.slice(end);
}

/** The text with a comma after `last`, unless there is none or it has one. */
function withComma(text: string, last: Node | undefined): string {
  if (last === undefined) return text;
  const end = last.offset + last.length;
  const scanner = createScanner(text, true);
  scanner.setPosition(end);
  scanner.scan();
  if (text[scanner.getTokenOffset()] === ",") return text;
  return `${text.slice(0, end)},${text.slice(end)}`;
}

function rendered(text: string, { value, indent }: { value: unknown; indent: string }): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll("\n", eolOf(text) + indent);
}

function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function unitOf(text: string): string {
  return /\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
}

function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))![0];
}

function startsLine(text: string, offset: number): boolean {
  return text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset).trim() === "";
}
