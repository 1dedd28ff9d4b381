import { quote } from "../../base/text/quote.ts";
import type { Yielder } from "../../base/async/yielder.ts";
import type { GrammarMatcher, GrammarState } from "./matcher.ts";

/** The most pieces of a vocabulary. */
const MAX_PIECES = 500_000;

/** The most characters of a piece. */
const MAX_LENGTH = 1_000;

/** A vocabulary: the pieces by their ids, or in the order of their ids from 0. */
export type Vocabulary = readonly string[] | Readonly<Record<string, string>>;

/** A token of a vocabulary. */
export type VocabularyToken = { id: number; piece: string };

/** The tokens of a vocabulary. Throws for an invalid id, and for too many or too long tokens. */
export function vocabularyTokens(vocabulary: Vocabulary): VocabularyToken[] {
  const tokens = Object.entries(vocabulary).map(([key, piece]) => {
    if (/^(0|[1-9]\d{0,9})$/.test(key)) return { id: Number(key), piece };
    throw new Error(`Cannot take ${quote(key)} for a token's id: ids are whole numbers from 0`);
  });
  if (tokens.length > MAX_PIECES) {
    throw new Error(`Cannot take ${tokens.length} tokens: ${MAX_PIECES} at most`);
  }
  const long = tokens.find(({ piece }) => piece.length > MAX_LENGTH);
  if (long === undefined) return tokens;
  throw new Error(
    `Cannot take the piece of token ${long.id}: it has ${long.piece.length} characters, ` +
      `and ${MAX_LENGTH} are the most`,
  );
}

/**
 * The ids of the tokens whose pieces may come next, in order. An empty piece is never allowed.
 * Throws if the grammar is too ambiguous.
 */
export async function allowedIds(
  tokens: readonly VocabularyToken[],
  { matcher, state, yielder }: { matcher: GrammarMatcher; state: GrammarState; yielder: Yielder },
): Promise<number[]> {
  const allowed: number[] = [];
  // Sorted, pieces with a common prefix are adjacent, so the prefix is read once.
  const sorted = [...tokens].sort((a, b) => a.piece < b.piece ? -1 : a.piece > b.piece ? 1 : 0);
  const states: (GrammarState | undefined)[] = [state];
  let before: number[] = [];
  for (const { id, piece } of sorted) {
    if (yielder.isDue) await yielder.yield();
    const points = toCodePoints(piece);
    let same = 0;
    while (same < before.length && before[same] === points[same]) same++;
    states.length = Math.min(states.length, same + 1);
    while (states.length <= points.length) {
      const last = states.at(-1);
      if (last === undefined) break;
      states.push(matcher.next(last, points[states.length - 1]!));
    }
    if (states.at(-1) !== undefined && points.length > 0) allowed.push(id);
    before = points;
  }
  return allowed.sort((a, b) => a - b);
}

/** The code points of a text. */
export function toCodePoints(text: string): number[] {
  return Array.from(text, (each) => each.codePointAt(0)!);
}

/** The most entries of a `logit_bias`: some APIs refuse more than 300. */
export const MAX_BIASES = 300;

/** The largest bias: it selects a token, and negated it forbids the token. */
const MAX_BIAS = 100;

/**
 * The `logit_bias` that leaves only the allowed ids: -100 for every other id, or 100 for every
 * allowed id if there are too many others. Undefined if both are too many, or nothing is allowed.
 */
export function logitBias(
  ids: readonly number[],
  allowed: readonly number[],
): Record<string, number> | undefined {
  if (allowed.length === 0) return undefined;
  const may = new Set(allowed);
  const forbidden = ids.filter((id) => !may.has(id));
  const biased = (chosen: readonly number[], bias: number) =>
    Object.fromEntries(chosen.map((id) => [id, bias]));
  if (forbidden.length <= MAX_BIASES) return biased(forbidden, -MAX_BIAS);
  return allowed.length > MAX_BIASES ? undefined : biased(allowed, MAX_BIAS);
}
