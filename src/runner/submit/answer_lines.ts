/** A second thread for the lines of a submission that read short files: the thread's own end. */

import { type QuickTool, ShortReads } from "../call/short_reads.ts";
import { hear } from "../sandbox/executors/prints.ts";
import type { LineAnswers, LineOrder, ReadRights } from "../sandbox/executors/reader.ts";
import { plainResultLine } from "./result_line.ts";
import { plainLine } from "./submitted_line.ts";

/** The most characters of results in the answers to an order. Further lines are given back. */
const MAX_RESULTS = 1024 * 1024;

/** The functions of the Worker that the answers need. */
export interface WorkerParts {
  /** Takes on the rights of the first order for good. */
  enterSandbox(rights: ReadRights): Promise<void>;
  /** Loads a tool with its code. Rejects for an unknown tool. */
  loadTool(name: string): Promise<QuickTool>;
}

/** Returns a function that answers orders. The first order has the rights. */
export function lineAnswerer(
  { enterSandbox, loadTool }: WorkerParts,
): (order: LineOrder) => Promise<LineAnswers> {
  let reads: ShortReads | undefined;
  const known = new Map<string, QuickTool>();
  return async ({ lines, numbers, tools, isTimed, answered, rights }) => {
    if (rights !== undefined) {
      await enterSandbox(rights);
      reads = new ShortReads(rights);
    }
    for (const name of tools) {
      if (!known.has(name)) known.set(name, await loadTool(name));
    }
    const answers = new Answers(isTimed);
    for (const [at, text] of textsOf(lines).entries()) {
      if (answers.isFull || reads === undefined) break;
      answers.add(at, answerLine(text, numbers[at]!, { reads, known }));
    }
    const all = answers.end();
    Atomics.add(answered, 0, 1);
    return all;
  };
}

/** The texts of lines. There are none if a line is not UTF-8. */
function textsOf(lines: Uint8Array): string[] {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(lines);
    return text.split("\n").slice(0, -1);
  } catch {
    return [];
  }
}

/** The answer to one line. */
interface Answer {
  result: string;
  tool: string;
  ms: number;
}

/** Collects answers, those of lines that follow one another as one text. */
class Answers {
  readonly #answers: LineAnswers = { runs: [], calls: [] };
  #results: string[] = [];
  #left = MAX_RESULTS;
  #next = 0;

  constructor(readonly isTimed: boolean) {}

  /** Whether further lines are given back. */
  get isFull(): boolean {
    return this.#left < 0;
  }

  /** Adds the answer to the line at a place, or nothing for a line that is given back. */
  add(at: number, answer: Answer | undefined): void {
    if (answer === undefined) return;
    if (at !== this.#next) this.#endRun();
    this.#results.push(answer.result);
    this.#next = at + 1;
    this.#left -= answer.result.length;
    if (this.isTimed) this.#answers.calls.push([answer.tool, answer.ms]);
  }

  /** Returns all of them. */
  end(): LineAnswers {
    this.#endRun();
    return this.#answers;
  }

  #endRun(): void {
    const count = this.#results.length;
    if (count === 0) return;
    const results = new TextEncoder().encode(this.#results.join(""));
    this.#answers.runs.push({ at: this.#next - count, count, results });
    this.#results = [];
  }
}

function answerLine(
  text: string,
  number: number,
  { reads, known }: { reads: ShortReads; known: ReadonlyMap<string, QuickTool> },
): Answer | undefined {
  const begun = performance.now();
  const plain = plainLine(text, number);
  const tool = plain && known.get(plain.call.name);
  if (tool === undefined) return undefined;
  let hasPrinted = false;
  hear(plain!.call.name, () => hasPrinted = true);
  const result = reads.run(tool, plain!.call);
  // The usual way reports failures and prints.
  if (result === undefined || result.isError || hasPrinted) return undefined;
  const ms = performance.now() - begun;
  return { result: plainResultLine(plain!.id, result), tool: plain!.call.name, ms };
}
