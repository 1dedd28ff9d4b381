import type { StructuredOutput } from "../../base/content.ts";
import { valueGrammar } from "../../base/gbnf/grammar.ts";
import { Yielder } from "../../base/async/yielder.ts";
import { type NextTokens, nextTokensText } from "./next_tokens_text.ts";
import {
  allowedIds,
  logitBias,
  toCodePoints,
  type Vocabulary,
  vocabularyTokens,
} from "./tokens.ts";
import { GrammarMatcher, type GrammarState, nextCharacters } from "./matcher.ts";
import { readGbnf } from "./read_gbnf.ts";

/** The most characters of the forced text. */
const MAX_FORCED = 2_000;

/** The most ranges of characters in the data. */
const MAX_RANGES = 1_000;

/**
 * Finds the characters and tokens that may follow a text by a JSON Schema, or else by a grammar in
 * GBNF. `endTokens` are the ids that end the text. Throws for a grammar that is invalid or too
 * ambiguous, and when the call is cancelled.
 */
export async function nextTokens(
  { schema, grammar = "", text, tokens, endTokens }: {
    schema?: Record<string, unknown> | undefined;
    grammar?: string | undefined;
    text: string;
    tokens?: Vocabulary | undefined;
    endTokens: readonly number[];
  },
  { signal }: { signal: AbortSignal },
): Promise<StructuredOutput> {
  const yielder = new Yielder(signal);
  const vocabulary = tokens === undefined ? undefined : vocabularyTokens(tokens);
  const { text: gbnf, problems } = schema === undefined
    ? { text: grammar, problems: [] }
    : valueGrammar(schema);
  const matcher = new GrammarMatcher(readGbnf(gbnf));
  const { state, leftAt } = await readText(matcher, { points: toCodePoints(text), yielder });
  const canComplete = state !== undefined && leftAt === undefined;
  const set = state === undefined ? [] : nextCharacters(state);
  const forced = canComplete ? forcedText(matcher, state) : { text: "", goesOn: false };
  const answer: NextTokens = {
    can_complete: canComplete,
    is_complete: canComplete && state.isComplete,
    ...(leftAt !== undefined && { left_at: leftAt }),
    next: set.slice(0, MAX_RANGES).map(([from, to]) => ({
      from: String.fromCodePoint(from),
      to: String.fromCodePoint(to),
    })),
    next_ranges: set.length,
    forced: forced.text,
    forced_goes_on: forced.goesOn,
    left_out: problems,
  };
  const ends = new Set(endTokens);
  if (vocabulary !== undefined) {
    const others = vocabulary.filter(({ id }) => !ends.has(id));
    const pieces = canComplete ? await allowedIds(others, { matcher, state, yielder }) : [];
    const allowed = answer.is_complete ? [...new Set([...pieces, ...endTokens])] : pieces;
    answer.allowed = allowed.sort((a, b) => a - b);
    const ids = [...new Set([...vocabulary.map(({ id }) => id), ...endTokens])];
    const bias = logitBias(ids, answer.allowed);
    if (bias !== undefined) answer.logit_bias = bias;
  }
  const found = { text, set, tokens: vocabulary, ends, fits: state !== undefined };
  const content = nextTokensText(answer, found);
  return { content, structuredContent: answer };
}

/** The state after a text; if the text leaves the grammar, the state before that and its position. */
async function readText(
  matcher: GrammarMatcher,
  { points, yielder }: { points: readonly number[]; yielder: Yielder },
): Promise<{ state: GrammarState | undefined; leftAt?: number }> {
  let state = matcher.start();
  if (state === undefined) return { state, leftAt: 0 };
  for (const [at, point] of points.entries()) {
    if (yielder.isDue) await yielder.yield();
    const after = matcher.next(state, point);
    if (after === undefined) return { state, leftAt: at };
    state = after;
    matcher.tidy(state);
  }
  return { state };
}

/** The text that must come next: it ends where the text may end or two characters are possible. */
function forcedText(
  matcher: GrammarMatcher,
  start: GrammarState,
): { text: string; goesOn: boolean } {
  const points: number[] = [];
  let [state, goesOn] = [start, false];
  while (!state.isComplete) {
    const [range, other] = nextCharacters(state);
    if (range === undefined || other !== undefined || range[0] !== range[1]) break;
    goesOn = points.length === MAX_FORCED;
    if (goesOn) break;
    points.push(range[0]);
    state = matcher.next(state, range[0])!;
  }
  return { text: String.fromCodePoint(...points), goesOn };
}
