import { concat } from "@std/bytes/concat";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import type { Redactor } from "../../../base/text/redact.ts";

/** The most characters that are shown. */
const MAX_SHOWN = 2_048;
/** The bytes that are kept. They exceed the shown part, so that no incomplete secret is shown. */
const MAX_KEPT = 65_536;

/** The sequences that colour a string on a terminal (ECMA-48, section 8.3.117). */
// deno-lint-ignore no-control-regex -- Such a sequence begins with ESC.
const COLOURS = /\u001b\[[0-9;]*m/g;

/** Keeps the end of a program's output in bounded memory. */
export class StderrTail {
  #chunks: Uint8Array[] = [];
  #length = 0;

  /** Adds output of the program. */
  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk.length > MAX_KEPT ? chunk.slice(-MAX_KEPT) : chunk);
    this.#length += chunk.length;
    if (this.#length < 4 * MAX_KEPT) return;
    const kept = concat(this.#chunks).slice(-MAX_KEPT);
    this.#chunks = [kept];
    this.#length = kept.length;
  }

  /** Returns the last 2 KiB as a string that is safe to show, without secrets. */
  text(redact: Redactor): string {
    const output = new TextDecoder().decode(concat(this.#chunks));
    const text = redact(output.replace(COLOURS, "").trimEnd());
    const shown = text.slice(-MAX_SHOWN);
    return escapeControls(shown.length < text.length ? `…${shown}` : shown);
  }
}
