import { type CodePoints, setOf } from "../../base/gbnf/code_points.ts";
import type { Grammar, Node } from "./node.ts";

/** In how many ways a text may be read at most, with all that can come next in each. */
const MAX_WAYS = 20_000;

/** How many frames there are at least before those that are out of use are forgotten. */
const MANY_FRAMES = 200_000;

/** What is still to come, in one way of reading the text: a part, and what comes after it. */
interface Frame {
  id: number;
  node: Node;
  /** How many items of a sequence, or times of a repetition, are behind. */
  count: number;
  /** Undefined where the text ends then. */
  rest: Frame | undefined;
}

/** Where a text has come to in a grammar. Of a state that there is, some text is the rest. */
export interface State {
  /** The ways of reading it, each with a character that comes next. */
  readonly ways: readonly Frame[];
  /** Whether the text may end here. */
  readonly isComplete: boolean;
  /** What each character that was asked for led to. */
  readonly moves: Map<number, State | undefined>;
}

/** Reads texts by a grammar, character by character, in all ways at once. */
export class Matcher {
  readonly #grammar: Grammar;
  #frames = new Map<string, Frame>();
  #states = new Map<string, State>();
  #ids = 0;
  #mostFrames = MANY_FRAMES;

  /** Takes a grammar that has been checked: what is left-recursive has no end. */
  constructor(grammar: Grammar) {
    this.#grammar = grammar;
  }

  /** The state of the empty text, or undefined where the grammar admits no text at all. */
  start(): State | undefined {
    const root = this.#grammar.get("root")!;
    return root.isPossible ? this.#settle([this.#frame(root, { rest: undefined })]) : undefined;
  }

  /**
   * The state one character later, or undefined where it cannot come there. Throws where there
   * are too many ways to read the text.
   */
  next(state: State, point: number): State | undefined {
    if (state.moves.has(point)) return state.moves.get(point);
    const ways = state.ways.filter(({ node }) => node.kind === "set" && isIn(node.set, point));
    const found = ways.length === 0 ? undefined : this.#settle(ways.map(({ rest }) => rest));
    state.moves.set(point, found);
    return found;
  }

  /** Lets go of what only texts before `state` needed. To be called when no other state is used. */
  tidy(state: State): void {
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
    // A text that is deep in something needs many; they are not looked through at each character.
    this.#mostFrames = Math.max(MANY_FRAMES, 2 * this.#frames.size);
  }

  /** Equal frames are one, so that ways that meet go on as one. */
  #frame(node: Node, { rest, count = 0 }: { rest: Frame | undefined; count?: number }): Frame {
    const key = keyOf({ node, count, rest });
    let frame = this.#frames.get(key);
    if (frame === undefined) {
      frame = { id: ++this.#ids, node, count, rest };
      this.#frames.set(key, frame);
    }
    return frame;
  }

  /** Takes frames apart until a character is next in each. */
  #settle(starts: readonly (Frame | undefined)[]): State {
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
    const state: State = { ways, isComplete: seen.has(undefined), moves: new Map() };
    const name = nameOf(state);
    const known = this.#states.get(name);
    if (known === undefined) this.#states.set(name, state);
    return known ?? state;
  }

  #parts({ node, count, rest }: Frame): (Frame | undefined)[] {
    switch (node.kind) {
      case "rule":
        return [this.#frame(this.#grammar.get(node.name)!, { rest })];
      case "choice":
        return node.choices.filter((each) => each.isPossible)
          .map((each) => this.#frame(each, { rest }));
      case "sequence": {
        const item = node.items[count];
        if (item === undefined) return [rest];
        const isLast = count + 1 === node.items.length;
        const after = isLast ? rest : this.#frame(node, { rest, count: count + 1 });
        return [this.#frame(item, { rest: after })];
      }
      case "repeat": {
        const { item, min, max } = node;
        const end = count >= min || item.isEmpty ? [rest] : [];
        if (count >= max || !item.isPossible) return end;
        // Without a bound it does not matter how often it was more than it had to be.
        const done = max === Infinity ? Math.min(count + 1, min) : count + 1;
        const after = done < max ? this.#frame(node, { rest, count: done }) : rest;
        return [...end, this.#frame(item, { rest: after })];
      }
      default:
        return [];
    }
  }
}

/** The characters that may come next. */
export function nextCharacters({ ways }: State): CodePoints {
  const sets = new Set(ways.map(({ node }) => node.kind === "set" ? node.set : []));
  return setOf([...sets].flat());
}

function keyOf({ node, count, rest }: Omit<Frame, "id">): string {
  return `${node.id} ${count} ${rest?.id ?? 0}`;
}

function nameOf({ ways, isComplete }: State): string {
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
