/** Reads calls in the notation of Python: `[f(a=1, b="x"), g()]`. */

import { lookupTable } from "../../base/lookup_table.ts";
import { repeatedKey } from "../../base/json/duplicate_key.ts";
import { type InexactNumber, inexactNumber } from "../../base/json/inexact_number.ts";
import { pointerOf } from "../../base/json/json_pointer.ts";

/** A call with keyword arguments. */
export interface PythonCall {
  /** The name, which may have dots. */
  name: string;
  /** The arguments by their names. */
  arguments: Record<string, unknown>;
}

const NAME = /[A-Za-z_][\w.-]*/y;
const NUMBER = /[+-]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const WORDS = lookupTable<unknown>({
  ...{ True: true, False: false, None: null, true: true, false: false, null: null },
});
const ESCAPES = lookupTable<string>({
  ...{ n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v", a: "\x07", "0": "\0" },
});
/** How deep lists and objects may be nested. */
const MAX_DEPTH = 200;

/**
 * Returns the calls in a text that is a list of calls, or one call. Values are Python's literals.
 * `duplicateKey` is a key that an object or a call has twice. Throws an Error that names the place
 * of the first fault.
 */
export function readPythonCalls(
  text: string,
): { calls: PythonCall[]; duplicateKey?: string | undefined } {
  const reader = new PythonReader(text);
  const calls = reader.calls();
  return { calls, duplicateKey: reader.duplicateKey };
}

class PythonReader {
  #at = 0;
  /** The JSON pointer of the last part of the first key that occurs twice. */
  duplicateKey: string | undefined;

  constructor(readonly text: string) {}

  calls(): PythonCall[] {
    const isList = this.#takes("[");
    const calls: PythonCall[] = [];
    do {
      if (isList && this.#takes("]")) return this.#end(calls);
      calls.push(this.#call());
    } while (this.#takes(","));
    if (isList) this.#expect("]");
    return this.#end(calls);
  }

  #end(calls: PythonCall[]): PythonCall[] {
    this.#skipSpace();
    return this.#at < this.text.length ? this.#fail("the end") : calls;
  }

  #call(): PythonCall {
    const name = this.#match(NAME) ?? this.#fail("the name of a tool");
    this.#expect("(");
    // A name such as __proto__ is an own property too.
    const given: [string, unknown][] = [];
    while (!this.#takes(")")) {
      if (given.length > 0) this.#expect(",");
      if (given.length > 0 && this.#takes(")")) break;
      const key = this.#match(NAME) ?? this.#fail("the name of an argument");
      this.#expect("=");
      given.push([key, this.#value(0)]);
    }
    return { name, arguments: this.#objectOf(given) };
  }

  #value(depth: number): unknown {
    if (depth > MAX_DEPTH) this.#fail("less nesting");
    this.#skipSpace();
    const character = this.text[this.#at];
    if (character === '"' || character === "'") return this.#string(character);
    if (this.#takes("[")) return this.#items("]", depth);
    if (this.#takes("(")) return this.#items(")", depth);
    if (this.#takes("{")) return this.#object(depth);
    const number = this.#match(NUMBER);
    if (number !== undefined) return numberOf(number.replaceAll("_", ""));
    const word = this.#match(NAME);
    if (word === undefined || !Object.hasOwn(WORDS, word)) this.#fail("a value");
    return WORDS[word!];
  }

  #items(close: string, depth: number): unknown[] {
    const items: unknown[] = [];
    while (!this.#takes(close)) {
      if (items.length > 0) this.#expect(",");
      if (items.length > 0 && this.#takes(close)) break;
      items.push(this.#value(depth + 1));
    }
    return items;
  }

  #object(depth: number): unknown {
    const entries: [string, unknown][] = [];
    while (!this.#takes("}")) {
      if (entries.length > 0) this.#expect(",");
      if (entries.length > 0 && this.#takes("}")) break;
      const key = this.#value(depth + 1);
      if (typeof key !== "string") this.#fail("a string as the key");
      this.#expect(":");
      entries.push([key as string, this.#value(depth + 1)]);
    }
    return this.#objectOf(entries);
  }

  #objectOf(entries: readonly [string, unknown][]): Record<string, unknown> {
    const twice = repeatedKey(entries.map(([key]) => key));
    if (twice !== undefined) this.duplicateKey ??= pointerOf([twice]);
    return Object.fromEntries(entries);
  }

  #string(quote: string): string {
    let text = "";
    for (this.#at++; this.text[this.#at] !== quote; this.#at++) {
      const character = this.text[this.#at] ?? this.#fail(`the closing ${quote}`);
      text += character === "\\" ? this.#escape() : character;
    }
    this.#at++;
    return text;
  }

  #escape(): string {
    const letter = this.text[++this.#at] ?? this.#fail("the end of the string");
    const size = { x: 2, u: 4, U: 8 }[letter];
    if (size === undefined) return ESCAPES[letter] ?? (letter === "\n" ? "" : keptEscape(letter));
    const digits = this.text.slice(this.#at + 1, this.#at + 1 + size);
    const code = /^[0-9A-Fa-f]+$/.test(digits) ? Number.parseInt(digits, 16) : Infinity;
    if (digits.length < size || code > 0x10ffff) this.#fail(`${size} hexadecimal digits`);
    this.#at += size;
    return String.fromCodePoint(code);
  }

  #takes(mark: string): boolean {
    this.#skipSpace();
    if (this.text[this.#at] !== mark) return false;
    this.#at++;
    return true;
  }

  #expect(mark: string): void {
    if (!this.#takes(mark)) this.#fail(`"${mark}"`);
  }

  #match(pattern: RegExp): string | undefined {
    this.#skipSpace();
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #skipSpace(): void {
    while (/\s/.test(this.text[this.#at] ?? "")) this.#at++;
  }

  #fail(expected: string): never {
    const found = this.text.slice(this.#at, this.#at + 20);
    throw new Error(
      `expected ${expected} at character ${this.#at + 1}, got ${JSON.stringify(found)}`,
    );
  }
}

/** The value of a number in Python. Its text may have a form that JSON does not have. */
function numberOf(text: string): number | InexactNumber {
  const value = Number(text);
  const isExact = Number.isSafeInteger(value) ||
    Number.isFinite(value) && !/^[+-]?\d+$/.test(text);
  if (isExact) return value;
  const json = text.replace(/^\+/, "").replace(/^(-?)0+(?=\d)/, "$1").replace(/\.(?!\d)/, "");
  return inexactNumber(json);
}

/** Python keeps the backslash of an escape that it does not know. */
function keptEscape(letter: string): string {
  return /["'\\]/.test(letter) ? letter : `\\${letter}`;
}
