/** The process that a long-lived process keeps for calls that start programs. */

import { CallError, toolFailure } from "../../../base/errors.ts";
import { ByteLines } from "../../mcp/byte_lines.ts";
import type { Registry } from "../../registry/registry.ts";
import { sandboxState } from "../linux/sandbox_state.ts";
import { RemoteServices } from "./context.ts";
import type { Answer, Job, Order, ProcessMessage, Ready } from "./executor.ts";
import { hear, limitPrints } from "./prints.ts";
import { ProgramHost, type ProgramHostOptions } from "./program_host.ts";
import { runWithPrograms } from "./programs.ts";

/** The longest line of an order, in bytes: a call has at most 64 MiB, and JSON can escape it. */
const MAX_ORDER_BYTES = 2 ** 29;

/** The streams and the tools of the process. */
interface JobsOptions extends Omit<ProgramHostOptions, "stays"> {
  stdin: { read(buffer: Uint8Array): Promise<number | null> };
  /** Prints a line after the earlier ones. */
  print(line: string): Promise<void>;
  registry: Registry;
  /** Aborted when a signal asks this process to end. */
  signal: AbortSignal;
}

/**
 * Enters the sandbox of programs, for good, and answers the jobs on stdin, one at a time. Each order
 * and each message is one line of JSON. Ends with its input, and then ends the running job.
 */
export async function answerProgramJobs(options: JobsOptions): Promise<void> {
  const say = (message: ProcessMessage) => options.print(`${JSON.stringify(message)}\n`);
  let host: ProgramHost;
  try {
    const ready: Ready = { state: "", temporary: "" };
    host = await ProgramHost.open({ ...options, stays: true }, (temporary) => {
      const programDirectory = Deno.realPathSync(options.program.directory);
      ready.temporary = temporary;
      ready.state = sandboxState({ ...options, programDirectory, temporary });
    });
    host.supervisor.awaitKeeper();
    await say({ ready });
  } catch (error) {
    await say(jobFailure(error));
    return;
  }
  let running: { stop: AbortController; ended: Promise<void> } | undefined;
  const services = new RemoteServices((ask) => void say(ask));
  const take = (order: Order) => {
    if ("reply" in order) services.receive(order);
    else if ("stop" in order) {
      running?.stop.abort(new DOMException(order.stop.message, order.stop.name));
    } else {
      const stop = new AbortController();
      hear(order.job.tool, limitPrints(({ level, text }) => void say({ level, print: text })));
      const ended = runJob(order.job, stop.signal).then(async ({ answer, isFree }) => {
        if (isFree) await say({ free: true });
        await say(answer);
      });
      running = { stop, ended };
    }
  };
  const runJob = async (job: Job, signal: AbortSignal) => {
    let answer: Answer;
    try {
      const tool = await options.registry.get(job.tool).load();
      const given = { job, running: { signal, serve: services.serve } };
      answer = { output: await runWithPrograms(tool, host, given) };
    } catch (error) {
      answer = jobFailure(error);
    }
    return { answer, isFree: !signal.aborted && await host.endCall() };
  };
  await readOrders(options, take);
  running?.stop.abort();
  await running?.ended.catch(() => {});
  await host.supervisor.close();
}

/** Hands each order on, until the input ends or a signal comes. */
async function readOrders({ stdin, signal }: JobsOptions, take: (order: Order) => void) {
  const lines = new ByteLines(MAX_ORDER_BYTES);
  const buffer = new Uint8Array(64 * 1024);
  const aborted = new Promise<null>((resolve) => {
    signal.addEventListener("abort", () => resolve(null), { once: true });
  });
  for (;;) {
    const count = await Promise.race([stdin.read(buffer), aborted]);
    if (count === null) return;
    for (const line of lines.add(buffer.subarray(0, count))) {
      take(JSON.parse(new TextDecoder().decode(line)));
    }
  }
}

/** The answer to a job that failed with an error. */
export function jobFailure(error: unknown): Answer {
  const { code, message, details } = error instanceof CallError ? error : toolFailure(error);
  return { code, message, details };
}
