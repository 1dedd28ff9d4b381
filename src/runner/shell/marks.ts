/** The marks with which the bash of a session tells the end of a command, in its output. */

/** The length of a mark's text, which is hexadecimal. */
const LENGTH = 32;
/** The most characters of an exit code. */
const MAX_CODE = 4;

const decoder = new TextDecoder();

/** Characters that a word in `$''` cannot have as they are. Bash uses some of them inside words. */
// deno-lint-ignore no-control-regex -- They are control characters.
const SPECIAL = /[\\'\x01-\x1f\x7f]/g;

/** The command that prints a mark with the last exit code, as `\0TEXT CODE\0`. */
export function markLine(text: string): string {
  // Halves, because a trace of the command must not look like the mark.
  const [one, two] = [text.slice(0, LENGTH / 2), text.slice(LENGTH / 2)];
  return `\\builtin printf '\\0%s%s %d\\0' ${one} ${two} "$?"`;
}

/** A string as one word of bash, on one line. */
export function shellWord(text: string): string {
  const escaped = text.replace(
    SPECIAL,
    (character) =>
      character === "\\" || character === "'"
        ? `\\${character}`
        : `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  return `$'${escaped}'`;
}

/** A part of the output: `start` ends what comes before a mark, and the rest begins at `end`. */
interface FoundMark {
  start: number;
  end: number;
  /** Resolves the promise of the mark. Undefined if there is no whole mark. */
  note?: () => void;
}

/** The marks that are expected. */
export class Marks {
  #expected = new Map<string, (code: number) => void>();

  /** A new mark, which nobody can guess. `seen` resolves with the exit code. */
  expect(): { text: string; seen: Promise<number> } {
    const text = crypto.getRandomValues(new Uint8Array(LENGTH / 2)).toHex();
    const { promise: seen, resolve } = Promise.withResolvers<number>();
    this.#expected.set(text, resolve);
    return { text, seen };
  }

  /** Forgets the marks of a command that has ended. Later ones count as output. */
  forget(): void {
    this.#expected.clear();
  }

  /** Finds the first mark. Without one, the rest begins where one may begin. */
  find(bytes: Uint8Array): FoundMark {
    const firsts = new Set([...this.#expected.keys()].map((text) => text.charCodeAt(0)));
    for (let start = bytes.indexOf(0); start >= 0; start = bytes.indexOf(0, start + 1)) {
      const first = bytes[start + 1];
      if (first !== undefined && !firsts.has(first)) continue;
      const text = decoder.decode(bytes.subarray(start + 1, start + 1 + LENGTH));
      if (text.length < LENGTH) {
        if ([...this.#expected.keys()].some((each) => each.startsWith(text))) {
          return { start, end: start };
        }
        continue;
      }
      const resolve = this.#expected.get(text);
      if (resolve === undefined) continue;
      const rest = bytes.subarray(start + 1 + LENGTH, start + 1 + LENGTH + MAX_CODE + 2);
      const [, code, last] = /^(?: (\d{1,3})?(\0)?)?/.exec(decoder.decode(rest))!;
      if (last === undefined) {
        if (rest.length < MAX_CODE) return { start, end: start };
        continue;
      }
      this.#expected.delete(text);
      const end = start + 1 + LENGTH + 1 + code!.length + 1;
      return { start, end, note: () => resolve(Number(code)) };
    }
    return { start: bytes.length, end: bytes.length };
  }
}
