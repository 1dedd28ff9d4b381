import { escapeControls } from "../../../base/text/escape_controls.ts";
import type { Redactor } from "../../../base/text/redact.ts";

/** How much of it is shown, in characters, and kept, in bytes: a secret must not be cut in two. */
const [SHOWN, KEPT] = [2_048, 65_536];

/** What colours a text on a terminal (ECMA-48, section 8.3.117). */
// deno-lint-ignore no-control-regex -- It is what such a sequence begins with.
const COLOURS = /\u001b\[[0-9;]*m/g;

/** The end of what a program wrote, however much it wrote. */
export class LastWords {
  #parts: Uint8Array[] = [];
  #length = 0;

  /** Takes the next part. */
  add(part: Uint8Array): void {
    this.#parts.push(part.length > KEPT ? part.slice(-KEPT) : part);
    this.#length += part.length;
    if (this.#length < 4 * KEPT) return;
    const all = this.#bytes().slice(-KEPT);
    this.#parts = [all];
    this.#length = all.length;
  }

  /** The last 2 KiB as a text that is safe to show, without secrets. */
  text(mask: Redactor): string {
    const text = mask(new TextDecoder().decode(this.#bytes()).replace(COLOURS, "").trimEnd());
    const shown = text.slice(-SHOWN);
    return escapeControls(shown.length < text.length ? `…${shown}` : shown);
  }

  #bytes(): Uint8Array {
    const all = new Uint8Array(this.#parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of this.#parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}
