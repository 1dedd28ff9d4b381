import { plural } from "../../base/text/amounts.ts";
import { quote } from "../../base/text/quote.ts";
import { type CodePoints, complement, only } from "../../base/gbnf/code_points.ts";
import { MAX_BIASES, toCodePoints, type VocabularyToken } from "./tokens.ts";

/** The possible continuations of a text. The tool's `outputSchema` describes the fields. */
export type NextTokens = {
  can_complete: boolean;
  is_complete: boolean;
  left_at?: number;
  next: { from: string; to: string }[];
  next_ranges: number;
  forced: string;
  forced_goes_on: boolean;
  allowed?: number[];
  logit_bias?: Record<string, number>;
  left_out: string[];
};

/** The most tokens that are shown to people. */
const MAX_SHOWN = 40;

/** The most of a text that is shown to people, in characters. */
const MAX_TEXT = 60;

/** The continuations for people, one line for each fact. */
export function nextTokensText(
  answer: NextTokens,
  { text, set, fits, tokens, ends }: {
    text: string;
    set: CodePoints;
    fits: boolean;
    tokens: readonly VocabularyToken[] | undefined;
    ends: ReadonlySet<number>;
  },
): string {
  const lines = !fits
    ? ["The text cannot be completed: the grammar matches no text"]
    : answer.left_at === undefined
    ? [standing(answer, set), ...forcedLine(answer)]
    : left(toCodePoints(text), { at: answer.left_at, set });
  if (tokens !== undefined) lines.push(...tokenLines(answer, { tokens, ends }));
  for (const each of answer.left_out) {
    lines.push(`[The grammar is wider than the schema; it omits ${each}]`);
  }
  return lines.join("\n");
}

function standing({ is_complete }: NextTokens, set: CodePoints): string {
  if (set.length === 0) return "The text is complete, and nothing may follow";
  const next = `Next: ${charactersText(set)}`;
  return `The text ${is_complete ? "is complete, and may continue" : "can be completed"}\n${next}`;
}

function forcedLine({ forced, forced_goes_on }: NextTokens): string[] {
  if (forced === "") return [];
  const more = forced_goes_on ? `, and more after these ${plural(forced.length, "character")}` : "";
  return [`It must continue with ${quote(forced, Infinity)}${more}`];
}

function left(
  points: readonly number[],
  { at, set }: { at: number; set: CodePoints },
): string[] {
  const start = Math.max(0, at - MAX_TEXT);
  const before = String.fromCodePoint(...points.slice(start, at));
  const place = at === 0 ? "" : `, after ${start > 0 ? "…" : ""}${quote(before)}`;
  const wrong = charactersText(only(points[at]!));
  return [
    `The text cannot be completed: character ${at + 1} is ${wrong}${place}`,
    set.length === 0 ? "The text had to end there" : `Possible there: ${charactersText(set)}`,
  ];
}

function tokenLines(
  { allowed = [], logit_bias, can_complete }: NextTokens,
  { tokens, ends }: { tokens: readonly VocabularyToken[]; ends: ReadonlySet<number> },
): string[] {
  const ids = new Set([...tokens.map(({ id }) => id), ...ends]);
  const pieces = new Map(tokens.map(({ id, piece }) => [id, piece]));
  const shown = allowed.slice(0, MAX_SHOWN).map((id) =>
    ends.has(id) ? `${id} (the end)` : `${id} ${quote(pieces.get(id) ?? "", MAX_TEXT)}`
  );
  const others = allowed.length - shown.length;
  const list = allowed.length === 0
    ? "none may come next"
    : `${allowed.length} may come next: ${shown.join(", ")}${
      others > 0 ? ` and ${others} more` : ""
    }`;
  const lines = [`Of ${plural(ids.size, "token")} ${list}`];
  const forbidden = ids.size - allowed.length;
  if (!can_complete || allowed.length === 0) return lines;
  const counts = `${forbidden} are forbidden and ${allowed.length} allowed`;
  if (logit_bias === undefined) {
    return [...lines, `[No logit_bias: ${counts}, and APIs take ${MAX_BIASES}]`];
  }
  if (forbidden <= MAX_BIASES) return lines;
  const more = `${forbidden} are forbidden, more than the ${MAX_BIASES} that APIs take in a`;
  return [...lines, `[${more} logit_bias: it is 100 for those that are allowed]`];
}

/** The most ranges that are shown to people. */
const MAX_RANGES_SHOWN = 40;

/** The size of a set above which its complement is shown. */
const MANY_CHARACTERS = 0x80000;

/** A set of characters for people: `"a", "0" to "9"`, or `any but "\""`. */
function charactersText(set: CodePoints): string {
  const size = set.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  if (size <= MANY_CHARACTERS) return rangesText(set);
  const missing = complement(set);
  return missing.length === 0 ? "any character" : `any character but ${rangesText(missing)}`;
}

function rangesText(set: CodePoints): string {
  const shown = set.slice(0, MAX_RANGES_SHOWN).map(([from, to]) => {
    if (to - from < 2) return [...new Set([from, to])].map(one).join(", ");
    return `${one(from)} to ${one(to)}`;
  });
  const more = set.length - MAX_RANGES_SHOWN;
  return shown.join(", ") + (more > 0 ? ` and ${plural(more, "more range")}` : "");
}

function one(point: number): string {
  if (point > 0x7e || point < 0x20 && ![9, 10, 13].includes(point)) {
    const isLetter = point > 0x7e && /^[\p{L}\p{N}]$/u.test(String.fromCodePoint(point));
    if (!isLetter) return `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
  }
  return quote(String.fromCodePoint(point));
}
