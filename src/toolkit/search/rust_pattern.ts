import type { Class, Hir, Look, Repetition } from "rregex";

/** The options of rewriting a pattern. */
interface RewriteOptions {
  /** True for matching by lines: no class matches a newline, and each line is a whole text. */
  byLine: boolean;
  /** True if no class may match U+FFFD, which replaces bytes that are not UTF-8. */
  exceptReplacement: boolean;
}

const NEWLINE = 0x0A;
const REPLACEMENT = 0xFFFD;
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

const ASSERTIONS: Record<Look["@variant"], string> = {
  Start: "\\A",
  End: "\\z",
  StartLF: "(?m:^)",
  EndLF: "(?m:$)",
  StartCRLF: "(?mR:^)",
  EndCRLF: "(?mR:$)",
  WordAscii: "(?-u:\\b)",
  WordAsciiNegate: "(?-u:\\B)",
  WordUnicode: "\\b",
  WordUnicodeNegate: "\\B",
  WordStartAscii: "(?-u:\\b{start})",
  WordEndAscii: "(?-u:\\b{end})",
  WordStartUnicode: "\\b{start}",
  WordEndUnicode: "\\b{end}",
  WordStartHalfAscii: "(?-u:\\b{start-half})",
  WordEndHalfAscii: "(?-u:\\b{end-half})",
  WordStartHalfUnicode: "\\b{start-half}",
  WordEndHalfUnicode: "\\b{end-half}",
};

/**
 * Writes a parsed pattern out again, with the changes that ripgrep makes
 * itself when it matches line by line. Groups no longer capture.
 */
export function rewritePattern(hir: Hir, options: RewriteOptions): string {
  const kind = hir.kind;
  const write = (part: Hir) => rewritePattern(part, options);
  switch (kind["@variant"]) {
    case "Empty":
      return "(?:)";
    case "Literal":
      return Array.from(
        utf8.decode(kind["@values"][0]["@values"][0]),
        (character) => hex(character.codePointAt(0)!),
      ).join("");
    case "Class":
      return writtenClass(kind["@values"][0], options);
    case "Look":
      return writtenLook(kind["@values"][0], options);
    case "Repetition":
      return `(?:${write(kind["@values"][0].sub)})${times(kind["@values"][0])}`;
    case "Capture":
      return `(?:${write(kind["@values"][0].sub)})`;
    case "Concat":
      return kind["@values"][0].map((part) => `(?:${write(part)})`).join("");
    case "Alternation":
      return `(?:${kind["@values"][0].map(write).join("|")})`;
  }
}

function writtenLook({ "@variant": name }: Look, { byLine }: RewriteOptions): string {
  return ASSERTIONS[byLine && (name === "Start" || name === "End") ? `${name}LF` as const : name];
}

function times({ min, max, greedy }: Repetition): string {
  return `{${min},${max ?? ""}}${greedy ? "" : "?"}`;
}

function writtenClass(set: Class, options: RewriteOptions): string {
  let ranges = rangesOf(set);
  if (options.byLine) ranges = without(ranges, NEWLINE);
  if (options.exceptReplacement) ranges = without(ranges, REPLACEMENT);
  if (ranges.length === 0) return "[^\\x{0}-\\x{10FFFF}]";
  return `[${ranges.map(([first, last]) => `${hex(first)}-${hex(last)}`).join("")}]`;
}

/** The code points of a class, as ranges with both ends inside. */
function rangesOf(set: Class): [number, number][] {
  if (set["@variant"] === "Bytes") {
    return set["@values"][0].ranges.map(({ start, end }) => [Number(start), Number(end)]);
  }
  return set["@values"][0].ranges.map(({ start, end }) => [
    start.codePointAt(0) ?? 0,
    end.codePointAt(0) ?? 0,
  ]);
}

function without(ranges: [number, number][], point: number): [number, number][] {
  return ranges.flatMap(([first, last]): [number, number][] => {
    if (point < first || last < point) return [[first, last]];
    const parts: [number, number][] = [[first, point - 1], [point + 1, last]];
    return parts.filter(([from, to]) => from <= to);
  });
}

function hex(point: number): string {
  return `\\x{${point.toString(16)}}`;
}

/** Returns whether a literal of the pattern contains a byte; a class of one character is a literal. */
export function hasLiteralByte(hir: Hir, byte: number): boolean {
  if (hir.kind["@variant"] === "Literal") {
    return hir.kind["@values"][0]["@values"][0].includes(byte);
  }
  return parts(hir).some((part) => hasLiteralByte(part, byte));
}

/**
 * Returns whether a match may contain a newline or depends on the start or end of the text. `^` and
 * `$` count as if they could match a newline, as in ripgrep.
 */
export function needsWholeText(hir: Hir): boolean {
  const kind = hir.kind;
  switch (kind["@variant"]) {
    case "Literal":
      return kind["@values"][0]["@values"][0].includes(10);
    case "Class":
      return rangesOf(kind["@values"][0]).some(([first, last]) => first <= 10 && 10 <= last);
    case "Look":
      return /^(Start|End)(LF|CRLF)?$/.test(kind["@values"][0]["@variant"]);
    default:
      return parts(hir).some(needsWholeText);
  }
}

/** The bytes of a pattern that is only a literal, as Latin-1; else undefined. */
export function wholeLiteral(hir: Hir): string | undefined {
  if (hir.kind["@variant"] === "Capture") return wholeLiteral(hir.kind["@values"][0].sub);
  if (hir.kind["@variant"] !== "Literal") return undefined;
  return binaryString(hir.kind["@values"][0]["@values"][0]);
}

/** The longest run of bytes that every match contains, as Latin-1. */
export function requiredLiteral(hir: Hir): string {
  const kind = hir.kind;
  switch (kind["@variant"]) {
    case "Literal":
      return binaryString(kind["@values"][0]["@values"][0]);
    case "Capture":
      return requiredLiteral(kind["@values"][0].sub);
    case "Repetition":
      return kind["@values"][0].min > 0 ? requiredLiteral(kind["@values"][0].sub) : "";
    case "Concat":
      return kind["@values"][0].map(requiredLiteral)
        .reduce((best, next) => next.length > best.length ? next : best, "");
    default:
      return "";
  }
}

/** Bytes as Latin-1, in which native searches are fast. */
function binaryString(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

function parts(hir: Hir): Hir[] {
  const kind = hir.kind;
  switch (kind["@variant"]) {
    case "Capture":
    case "Repetition":
      return [kind["@values"][0].sub];
    case "Concat":
    case "Alternation":
      return kind["@values"][0];
    default:
      return [];
  }
}
