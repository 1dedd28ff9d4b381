/** An element of a glob, named after the part of a path that it matches. */
export type GlobToken =
  | { kind: "literal"; text: string }
  | { kind: "class"; negated: boolean; ranges: readonly (readonly [string, string])[] }
  | { kind: "either"; branches: readonly (readonly GlobToken[])[] }
  | { kind: "any" | "star" | "folders_first" | "folders_between" | "folders_last" };

/** The longest glob, in UTF-16 units. */
const MAX_GLOB_LENGTH = 4096;

/** The deepest nesting of `{a,{b,…}}`. */
const MAX_DEPTH = 200;

/**
 * Reads a glob as ripgrep does: `?`, `*`, `**` as a whole component, `[a-z]`,
 * `[!a]`, nested `{a,b}` and `\` to escape. Throws a SyntaxError for an invalid glob.
 */
export function parseGlob(glob: string): GlobToken[] {
  if (glob.length > MAX_GLOB_LENGTH) {
    throw new SyntaxError(
      `it is ${glob.length} characters long, and ${MAX_GLOB_LENGTH} is the limit`,
    );
  }
  return new Parser(glob).parse();
}

class Parser {
  #characters: string[];
  #at = 0;
  #groups: GlobToken[][][] = [[[]]];

  constructor(glob: string) {
    this.#characters = [...glob];
  }

  parse(): GlobToken[] {
    while (this.#at < this.#characters.length) this.#element();
    if (this.#groups.length > 1) {
      throw new SyntaxError(
        "unclosed alternate group; missing '}' (escape a literal '{' as '[{]')",
      );
    }
    return this.#tokens;
  }

  get #tokens(): GlobToken[] {
    return this.#groups.at(-1)!.at(-1)!;
  }

  get #inGroup(): boolean {
    return this.#groups.length > 1;
  }

  #element(): void {
    const before = this.#characters[this.#at - 1];
    const character = this.#characters[this.#at++]!;
    if (character === "?") this.#tokens.push({ kind: "any" });
    else if (character === "*") this.#tokens.push(this.#star(before));
    else if (character === "[") this.#class();
    else if (character === "{") this.#open();
    else if (character === "}") this.#close();
    else if (character === "," && this.#inGroup) this.#groups.at(-1)!.push([]);
    else if (character === "\\") this.#escaped();
    else this.#tokens.push({ kind: "literal", text: character });
  }

  #escaped(): void {
    const text = this.#characters[this.#at++];
    if (text === undefined) throw new SyntaxError("dangling '\\'");
    this.#tokens.push({ kind: "literal", text });
  }

  #open(): void {
    if (this.#groups.length > MAX_DEPTH) {
      throw new SyntaxError(`alternate groups nested deeper than ${MAX_DEPTH}`);
    }
    this.#groups.push([[]]);
  }

  #close(): void {
    if (!this.#inGroup) {
      throw new SyntaxError(
        "unopened alternate group; missing '{' (escape a literal '}' as '[}]')",
      );
    }
    const branches = this.#groups.pop()!;
    this.#tokens.push({ kind: "either", branches });
  }

  /** Only a `**` that is a whole component crosses directories; elsewhere it is `*`. */
  #star(before: string | undefined): GlobToken {
    if (this.#characters[this.#at] !== "*") return { kind: "star" };
    this.#at++;
    const after = this.#characters[this.#at];
    const atStart = this.#tokens.length === 0;
    const separated = before === "/" || (this.#inGroup && (before === "," || before === "{"));
    const last = after === undefined ||
      (this.#inGroup && !atStart && (after === "," || after === "}"));
    if ((!atStart && !separated) || (!last && after !== "/")) return { kind: "star" };
    if (after === "/") this.#at++;
    if (atStart) return { kind: "folders_first" };
    const previous = this.#tokens.pop()!;
    const repeated = previous.kind === "folders_first" || previous.kind === "folders_last";
    return repeated ? previous : { kind: last ? "folders_last" : "folders_between" };
  }

  #class(): void {
    const next = this.#characters[this.#at];
    const negated = next === "!" || next === "^";
    if (negated) this.#at++;
    const ranges: [string, string][] = [];
    let inRange = false;
    for (let first = true;; first = false) {
      const character = this.#characters[this.#at++];
      if (character === undefined) {
        throw new SyntaxError("unclosed character class; missing ']'");
      }
      if (character === "]" && !first) break;
      if (inRange) closeRange(ranges.at(-1)!, character);
      else if (character !== "-" || first) ranges.push([character, character]);
      inRange = character === "-" && !first && !inRange;
    }
    if (inRange) ranges.push(["-", "-"]);
    this.#tokens.push({ kind: "class", negated, ranges });
  }
}

function closeRange(range: [string, string], last: string): void {
  if (last.codePointAt(0)! < range[0].codePointAt(0)!) {
    throw new SyntaxError(`invalid range; '${range[0]}' > '${last}'`);
  }
  range[1] = last;
}

/**
 * Splits a string into globs at commas and blanks, except inside braces and classes and after a
 * backslash: `*.{ts,tsx} *.md,[a,b]*` contains three globs.
 */
export function splitGlobs(text: string): string[] {
  const globs: string[] = [];
  let glob = "";
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const end = text[at] === "[" ? classEnd(text, at) : text[at] === "\\" ? at + 1 : at;
    const part = text.slice(at, end + 1);
    if (part === "{") depth++;
    else if (part === "}") depth--;
    if (depth <= 0 && /^[,\s]$/.test(part)) {
      globs.push(glob);
      glob = "";
    } else glob += part;
    at = end;
  }
  return [...globs, glob].filter((each) => each !== "");
}

/** The end of the class that begins at `start`; `start` itself if the class is not closed. */
function classEnd(text: string, start: number): number {
  const isNegated = /[!^]/.test(text[start + 1] ?? "");
  // A bracket right after the opening one is a character of the class.
  const end = text.indexOf("]", start + (isNegated ? 3 : 2));
  return end === -1 ? start : end;
}
