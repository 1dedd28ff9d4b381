import { type CodePoints, union } from "../../base/gbnf/code_points.ts";
import type { Grammar, GrammarNode } from "./grammar.ts";

/** The most frames that are followed at one character. */
const MAX_WAYS = 20_000;

/** The number of frames at which unused frames are dropped. */
const MANY_FRAMES = 200_000;

/** The rest of one parse of the text: a part, and the frame after it. */
interface Frame {
  id: number;
  node: GrammarNode;
  /** The number of items of a sequence, or of repetitions, that have been read. */
  count: number;
  /** The frame after this part; undefined if the text ends there. */
  rest: Frame | undefined;
}

/** The position of a text in a grammar. Every state can be completed by some text. */
export interface GrammarState {
  /** The parses of the text; in each, the next part is a character. */
  readonly ways: readonly Frame[];
  /** True if the text may end here. */
  readonly isComplete: boolean;
  /** The states after the characters that were asked for. */
  readonly moves: Map<number, GrammarState | undefined>;
}

/** Reads texts by a grammar, character by character, following all parses at once. */
export class GrammarMatcher {
  #frames = new Map<string, Frame>();
  #states = new Map<string, GrammarState>();
  #ids = 0;
  #mostFrames = MANY_FRAMES;

  /** Takes a grammar that has been checked for left recursion. */
  constructor(readonly grammar: Grammar) {}

  /** The state of the empty text; undefined if the grammar admits no text. */
  start(): GrammarState | undefined {
    const root = this.grammar.get("root")!;
    return root.isPossible ? this.#settle([this.#frame(root, undefined)]) : undefined;
  }

  /**
   * The state after one more character; undefined if the character cannot come there. Throws if
   * the grammar is too ambiguous.
   */
  next(state: GrammarState, point: number): GrammarState | undefined {
    if (state.moves.has(point)) return state.moves.get(point);
    const ways = state.ways.filter(({ node }) => node.kind === "set" && isIn(node.set, point));
    const found = ways.length === 0 ? undefined : this.#settle(ways.map(({ rest }) => rest));
    state.moves.set(point, found);
    return found;
  }

  /** Drops the frames that `state` does not need. Call it only when no other state is in use. */
  tidy(state: GrammarState): void {
    if (this.#frames.size < this.#mostFrames) return;
    this.#frames.clear();
    this.#states.clear();
    state.moves.clear();
    for (const way of state.ways) {
      for (let frame: Frame | undefined = way; frame !== undefined; frame = frame.rest) {
        const key = keyOf(frame);
        if (this.#frames.has(key)) break;
        this.#frames.set(key, frame);
      }
    }
    this.#states.set(nameOf(state), state);
    // A deeply nested text needs many frames: raise the limit so that they are not checked at each character.
    this.#mostFrames = Math.max(MANY_FRAMES, 2 * this.#frames.size);
  }

  /** Returns the same object for equal frames, so that parses that meet are followed once. */
  #frame(node: GrammarNode, rest: Frame | undefined, count = 0): Frame {
    const key = keyOf({ node, count, rest });
    const known = this.#frames.get(key);
    if (known !== undefined) return known;
    const frame = { id: ++this.#ids, node, count, rest };
    this.#frames.set(key, frame);
    return frame;
  }

  /** Expands frames until the next part of each is a character. */
  #settle(starts: readonly (Frame | undefined)[]): GrammarState {
    const seen = new Set(starts);
    const ways: Frame[] = [];
    for (const frame of seen) {
      if (frame === undefined) continue;
      if (seen.size > MAX_WAYS) {
        throw new Error(`The grammar can be read in more than ${MAX_WAYS} ways at one character`);
      }
      if (frame.node.kind === "set") ways.push(frame);
      for (const each of this.#parts(frame)) seen.add(each);
    }
    ways.sort((a, b) => a.id - b.id);
    const state: GrammarState = { ways, isComplete: seen.has(undefined), moves: new Map() };
    const name = nameOf(state);
    const known = this.#states.get(name);
    if (known === undefined) this.#states.set(name, state);
    return known ?? state;
  }

  /** The frames of which one has to be read to read this one. */
  #parts({ node, count, rest }: Frame): (Frame | undefined)[] {
    switch (node.kind) {
      case "rule":
        return [this.#frame(this.grammar.get(node.name)!, rest)];
      case "choice":
        return node.parts.filter((each) => each.isPossible)
          .map((each) => this.#frame(each, rest));
      case "sequence": {
        const item = node.parts[count];
        if (item === undefined) return [rest];
        const isLast = count + 1 === node.parts.length;
        return [this.#frame(item, isLast ? rest : this.#frame(node, rest, count + 1))];
      }
      case "repeat": {
        const { parts: [item], min, max } = node;
        const end = count >= min || item.isEmpty ? [rest] : [];
        if (count >= max || !item.isPossible) return end;
        // No upper bound: counts above `min` are equivalent, so saturate to keep the states finite.
        const done = max === Infinity ? Math.min(count + 1, min) : count + 1;
        return [...end, this.#frame(item, done < max ? this.#frame(node, rest, done) : rest)];
      }
      default:
        return [];
    }
  }
}

/** The set of characters that may come next. */
export function nextCharacters({ ways }: GrammarState): CodePoints {
  const sets = new Set(ways.map(({ node }) => node.kind === "set" ? node.set : []));
  return union([...sets].flat());
}

function keyOf({ node, count, rest }: Omit<Frame, "id">): string {
  return `${node.id} ${count} ${rest?.id ?? 0}`;
}

function nameOf({ ways, isComplete }: GrammarState): string {
  return `${isComplete} ${ways.map(({ id }) => id).join(" ")}`;
}

function isIn(set: CodePoints, point: number): boolean {
  let [low, high] = [0, set.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const [from, to] = set[middle]!;
    if (point < from) high = middle;
    else if (point > to) low = middle + 1;
    else return true;
  }
  return false;
}
