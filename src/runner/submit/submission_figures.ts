/** Figures about the calls of a submission: rates, durations by tool, and failures by code. */

import type { CallResult } from "../call/failure.ts";

/** The most tools that have figures of their own. Tools beyond them count together. */
const MAX_TOOLS = 100;
/** The name under which they count. */
const OTHER_TOOLS = "(other tools)";

/** The most slots of time. When all are full, two neighbours become one. */
const MAX_SLOTS = 240;
/** The first length of a slot, in milliseconds. */
const SLOT_MS = 100;

/** The buckets of durations: so many for each power of two, from a thousandth of a millisecond on. */
const [PER_POWER, POWERS, SMALLEST_MS] = [8, 40, 0.001];

/** Durations, of which only the distribution is kept. A percentile is right to 9 %. */
export class Durations {
  readonly #buckets = new Uint32Array(PER_POWER * POWERS);
  #count = 0;
  #longest = 0;

  /** Adds a duration in milliseconds. */
  add(ms: number): void {
    const at = Math.floor(Math.log2(Math.max(ms, SMALLEST_MS) / SMALLEST_MS) * PER_POWER);
    this.#buckets[Math.min(at, this.#buckets.length - 1)]!++;
    this.#count++;
    this.#longest = Math.max(this.#longest, ms);
  }

  /** The longest duration, in milliseconds. */
  get longest(): number {
    return this.#longest;
  }

  /** The duration that this share of the durations does not exceed, in milliseconds. */
  percentile(share: number): number {
    let left = Math.ceil(this.#count * share);
    const at = this.#buckets.findIndex((count) => (left -= count) <= 0);
    const end = SMALLEST_MS * 2 ** ((at + 1) / PER_POWER);
    return this.#count === 0 ? 0 : Math.min(end, this.#longest);
  }
}

/** The figures of one tool. */
export interface ToolFigures {
  /** The number of its calls that have a result. */
  done: number;
  /** The number of those that failed. */
  failed: number;
  /** The durations of its calls. */
  durations: Durations;
}

/** The calls that ended in one slot of time. */
export interface Slot {
  /** The number of calls. */
  done: number;
  /** The number of those that failed. */
  failed: number;
}

/** The figures of a submission. Their memory does not grow with the number of calls. */
export class SubmissionFigures {
  /** The figures by tool. */
  readonly tools = new Map<string, ToolFigures>();
  /** The number of failures by code. */
  readonly codes = new Map<string, number>();
  /** The calls over time, from the start on. */
  slots: Slot[] = [];
  /** The length of a slot, in milliseconds. */
  slotMs = SLOT_MS;
  readonly #begun = performance.now();

  /** The time since the start, in milliseconds. */
  get elapsedMs(): number {
    return performance.now() - this.#begun;
  }

  /** Adds a call that has ended after so many milliseconds. */
  add(tool: string, result: CallResult, ms: number): void {
    const failed = result.isError ? 1 : 0;
    for (const figures of [this.#toolOf(tool), this.#slotNow()]) {
      figures.done++;
      figures.failed += failed;
    }
    this.#toolOf(tool).durations.add(ms);
    if (failed === 0) return;
    const code = result._meta?.["toolcall/error"]?.code ?? "tool_failed";
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
  }

  #toolOf(tool: string): ToolFigures {
    const isKnown = this.tools.has(tool) || this.tools.size < MAX_TOOLS;
    const name = isKnown ? tool : OTHER_TOOLS;
    let own = this.tools.get(name);
    if (own === undefined) {
      own = { done: 0, failed: 0, durations: new Durations() };
      this.tools.set(name, own);
    }
    return own;
  }

  #slotNow(): Slot {
    let at = Math.floor(this.elapsedMs / this.slotMs);
    while (at >= MAX_SLOTS) {
      this.slots = Array.from({ length: Math.ceil(this.slots.length / 2) }, (_, index) => {
        const [one, two] = [this.slots[2 * index]!, this.slots[2 * index + 1]];
        return { done: one.done + (two?.done ?? 0), failed: one.failed + (two?.failed ?? 0) };
      });
      this.slotMs *= 2;
      at = Math.floor(this.elapsedMs / this.slotMs);
    }
    while (this.slots.length <= at) this.slots.push({ done: 0, failed: 0 });
    return this.slots[at]!;
  }
}
