/** Reads a string from left to right. */
export class Scanner {
  /** The position in the string, in UTF-16 units. */
  at = 0;

  /** Takes the string. */
  constructor(readonly text: string) {}

  /** True when the whole string has been read. */
  get isDone(): boolean {
    return this.at >= this.text.length;
  }

  /** Reads a sign; `false` if another string comes next. */
  take(sign: string): boolean {
    const isThere = this.text.startsWith(sign, this.at);
    if (isThere) this.at += sign.length;
    return isThere;
  }

  /** Reads and returns the match of a sticky expression; `undefined` if it does not match here. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }
}

/** The bounds that a quantifier sets: `*`, `+`, `?`, `{2}`, `{2,}` or `{2,5}`. */
export function boundsIn(quantifier: string): { min: number; max: number } {
  if (quantifier === "*") return { min: 0, max: Infinity };
  if (quantifier === "+") return { min: 1, max: Infinity };
  if (quantifier === "?") return { min: 0, max: 1 };
  const [least = "", most = least] = quantifier.slice(1, -1).split(",");
  return { min: Number(least), max: most.trim() === "" ? Infinity : Number(most) };
}
