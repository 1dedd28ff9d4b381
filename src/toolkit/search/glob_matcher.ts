import { type GlobToken, parseGlob } from "./glob_syntax.ts";

interface State {
  /** The test for the unit that it consumes; undefined if it consumes none. */
  test?: (unit: number) => boolean;
  next: number[];
}

const SLASH = 47;
const END = 0;

/**
 * A compiled glob over whole relative paths. Matching takes time in proportion
 * to the glob times the path, because all alternatives are followed at once.
 */
export class GlobMatcher {
  #states: State[] = [{ next: [] }];
  #start: number;
  #seen: Uint32Array;
  #round = 0;
  #shell: boolean;
  /** An equal regular expression, if there is one. It is twenty times faster than the states. */
  #quick: RegExp | undefined;
  /** The literal end of the glob, which each matching path has. */
  readonly suffix: string;

  /**
   * Compiles the glob; throws a SyntaxError for an invalid one. The flavour `ignore` matches as
   * ripgrep and git, byte by byte, and a class may match `/`. The flavour `path` matches by
   * character, and a class matches no `/`. Leading dots have no special meaning.
   */
  constructor(glob: string, { flavour }: { flavour: "ignore" | "path" }) {
    this.#shell = flavour === "path";
    const tokens = parseGlob(glob);
    const literals = tokens.slice(tokens.findLastIndex(({ kind }) => kind !== "literal") + 1);
    this.suffix = literalText(literals);
    // A lone `**` matches everything, as in ripgrep.
    const all = tokens.length === 1 && tokens[0]!.kind === "folders_first";
    if (this.#shell) this.#quick = all ? /^/ : quickPattern(tokens);
    this.#start = all ? this.#loop(() => true, END) : this.#sequence(tokens, END);
    this.#seen = new Uint32Array(this.#states.length);
  }

  /** Returns whether the whole relative path matches. */
  matches(path: string): boolean {
    return this.#quick?.test(path) ?? this.#follow(path).includes(END);
  }

  /** Returns whether a path below this directory could match. */
  reaches(directory: string): boolean {
    return this.#follow(directory + "/").length > 0;
  }

  #follow(path: string): number[] {
    const units = this.#units(path);
    let current = this.#closure([this.#start]);
    for (let i = 0; i < units.length && current.length > 0; i++) {
      const unit = units[i]!;
      const next: number[] = [];
      for (const index of current) {
        const state = this.#states[index]!;
        if (state.test?.(unit)) next.push(...state.next);
      }
      current = this.#closure(next);
    }
    return current;
  }

  #closure(pending: number[]): number[] {
    const round = ++this.#round;
    const reached: number[] = [];
    while (pending.length > 0) {
      const index = pending.pop()!;
      if (this.#seen[index] === round) continue;
      this.#seen[index] = round;
      const state = this.#states[index]!;
      if (state.test !== undefined || index === END) reached.push(index);
      else pending.push(...state.next);
    }
    return reached;
  }

  #units(text: string): ArrayLike<number> {
    if (!this.#shell) return new TextEncoder().encode(text);
    return Array.from(text, (character) => character.codePointAt(0)!);
  }

  #add(state: State): number {
    return this.#states.push(state) - 1;
  }

  #loop(test: (unit: number) => boolean, next: number): number {
    const fork = this.#add({ next: [next] });
    this.#states[fork]!.next.push(this.#add({ test, next: [fork] }));
    return fork;
  }

  #sequence(tokens: readonly GlobToken[], next: number): number {
    return tokens.reduceRight((after, token) => this.#token(token, after), next);
  }

  #token(token: GlobToken, next: number): number {
    const slash = (after: number) => this.#add({ test: isSlash, next: [after] });
    switch (token.kind) {
      case "literal":
        return this.#literal(token.text, next);
      case "any":
        return this.#add({ test: isNotSlash, next: [next] });
      case "star":
        return this.#loop(isNotSlash, next);
      case "class":
        return this.#add({ test: this.#classTest(token), next: [next] });
      case "either":
        return this.#either(token.branches, next);
      case "folders_first":
        return this.#add({ next: [next, slash(next), this.#loop(() => true, slash(next))] });
      case "folders_between":
        return slash(this.#add({ next: [next, this.#loop(() => true, slash(next))] }));
      case "folders_last":
        return slash(this.#loop(() => true, next));
    }
  }

  #either(branches: readonly (readonly GlobToken[])[], next: number): number {
    // ripgrep ignores empty branches; a shell does not.
    const taken = branches.filter((branch) => this.#shell || branch.length > 0);
    if (taken.length === 0) return next;
    return this.#add({ next: taken.map((branch) => this.#sequence(branch, next)) });
  }

  #literal(text: string, next: number): number {
    return Array.from(this.#units(text)).reduceRight(
      (after, wanted) => this.#add({ test: (unit) => unit === wanted, next: [after] }),
      next,
    );
  }

  #classTest(token: GlobToken & { kind: "class" }): (unit: number) => boolean {
    const ranges = token.ranges.map(([first, last]) =>
      [first.codePointAt(0)!, last.codePointAt(0)!] as const
    );
    const crosses = !this.#shell;
    return (unit) =>
      (crosses || unit !== SLASH) &&
      ranges.some(([first, last]) => first <= unit && unit <= last) !== token.negated;
  }
}

/** The text that literal tokens match. */
function literalText(tokens: readonly GlobToken[]): string {
  return tokens.map((token) => token.kind === "literal" ? token.text : "").join("");
}

/** The most loops in a regular expression that tries each way one after the other. */
const MAX_LOOPS = 3;

/**
 * The regular expression for a glob of the flavour `path`, or `undefined` if a long path could take
 * it too much time.
 */
function quickPattern(tokens: readonly GlobToken[]): RegExp | undefined {
  const source = sourceOf(tokens);
  const loops = source.split("*").length - 1;
  return loops > MAX_LOOPS ? undefined : new RegExp(`^${source}$`, "us");
}

function sourceOf(tokens: readonly GlobToken[]): string {
  return tokens.map((token) => {
    switch (token.kind) {
      case "literal":
        return token.text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
      case "any":
        return "[^/]";
      case "star":
        return "[^/]*";
      case "class":
        return classSource(token);
      case "either":
        return `(?:${token.branches.map(sourceOf).join("|")})`;
      case "folders_first":
        return "(?:.*/)?";
      case "folders_between":
        return "/(?:.*/)?";
      case "folders_last":
        return "/.*";
    }
  }).join("");
}

function classSource({ ranges, negated }: GlobToken & { kind: "class" }): string {
  const unit = (character: string) => `\\u{${character.codePointAt(0)!.toString(16)}}`;
  const inner = ranges.map(([first, last]) => `${unit(first)}-${unit(last)}`).join("");
  return negated ? `[^/${inner}]` : `(?!/)[${inner}]`;
}

const isSlash = (unit: number) => unit === SLASH;
const isNotSlash = (unit: number) => unit !== SLASH;
