/** The lines in which common test runners name a failed test, without colours. */
const FAILED: readonly RegExp[] = [
  /^(.+?) \.\.\. FAILED\b/,
  /^\s*--- FAIL: (\S+)/,
  /^FAILED (\S+?(?:::.*?)?)(?: - .*)?$/,
  /^(?:FAIL|ERROR): (\S+ \(.+\))$/,
  /^\s*not ok \d+ (?:- )?(.+?)(?: # .*)?$/,
  /^\s*✖ (.+?)(?: \([\d.]+m?s\))?$/,
  /^\s*● (.+)$/,
  /^ ?(?:FAIL|×) +(\S.*)$/,
  /^\s+\d+\) (\S.*?):?$/,
];

/** Headings that look like the name of a test. */
const HEADING = /^failing tests:?$|^Test suite failed to run$|^Console$/i;

/** The largest number of names, and the longest line that is parsed, in characters. */
const [MAX_NAMES, MAX_LINE] = [50, 2_000];

/** Collects the names of failed tests from the output of a test runner, in bounded memory. */
export class FailingTests {
  #decoder = new TextDecoder();
  #rest = "";
  #names = new Set<string>();
  #more = 0;

  /** Takes the next bytes of the output. */
  add(chunk: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split("\n");
    this.#rest = lines.pop()!.slice(0, MAX_LINE);
    for (const line of lines) this.#look(line);
  }

  /** Ends the output. Returns the names, at most 50, and how many more there were. */
  end(): { names: string[]; more: number } {
    this.#look(this.#rest);
    return { names: [...this.#names], more: this.#more };
  }

  #look(given: string): void {
    if (given.length > MAX_LINE) return;
    // deno-lint-ignore no-control-regex
    const line = given.replace(/\x1b\[[\d;]*m/g, "").trimEnd();
    for (const pattern of FAILED) {
      const name = pattern.exec(line)?.[1]?.replace(/^test /, "");
      if (name === undefined || HEADING.test(name)) continue;
      if (this.#names.size < MAX_NAMES) this.#names.add(name);
      else if (!this.#names.has(name)) this.#more++;
      return;
    }
  }
}
