import type { Hir } from "rregex";
import { rangesOf } from "./rust_pattern.ts";

/** Whether a literal of the pattern holds this byte; a class of one character is a literal too. */
export function hasLiteralByte(hir: Hir, byte: number): boolean {
  if (hir.kind["@variant"] === "Literal") {
    return hir.kind["@values"][0]["@values"][0].includes(byte);
  }
  return parts(hir).some((part) => hasLiteralByte(part, byte));
}

/**
 * Whether a match may hold a newline or depends on where the text begins or
 * ends. As in ripgrep, `^` and `$` count as if they could match a newline.
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

/** The bytes that the pattern is, one character a byte, when it is nothing else. */
export function wholeLiteral(hir: Hir): string | undefined {
  if (hir.kind["@variant"] === "Capture") return wholeLiteral(hir.kind["@values"][0].sub);
  if (hir.kind["@variant"] !== "Literal") return undefined;
  return binaryString(hir.kind["@values"][0]["@values"][0]);
}

/** The longest run of bytes that every match holds, one character a byte. */
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

/** Bytes as a string with one character each, in which native searches are fast. */
function binaryString(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
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
