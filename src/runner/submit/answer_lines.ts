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
  return async ({ lines, numbers, tools, rights }) => {
    if (rights !== undefined) {
      await enterSandbox(rights);
      reads = new ShortReads(rights);
    }
    for (const name of tools) {
      if (!known.has(name)) known.set(name, await loadTool(name));
    }
    const answers: LineAnswers = { results: [], tools: [], durations: [] };
    let left = MAX_RESULTS;
    for (const [at, text] of lines.entries()) {
      const answer = text === undefined || left < 0 || reads === undefined
        ? undefined
        : answerLine(text, numbers[at]!, { reads, known });
      left -= answer?.result.length ?? 0;
      answers.results.push(answer?.result);
      answers.tools.push(answer?.tool ?? "");
      answers.durations.push(answer?.ms ?? 0);
    }
    return answers;
  };
}

function answerLine(
  text: string,
  number: number,
  { reads, known }: { reads: ShortReads; known: ReadonlyMap<string, QuickTool> },
): { result: string; tool: string; ms: number } | undefined {
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
