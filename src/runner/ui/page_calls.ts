import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { executeCall, rejectCall } from "../call/execute.ts";
import type { CallOptions } from "../call/call.ts";
import { exitCodeOf } from "../call/failure.ts";
import { limitPrints } from "../sandbox/executors/prints.ts";
import { EventStream } from "./event_stream.ts";
import type { PageBackend, PageCall } from "./page_backend.ts";

/** A call of the page that still runs. */
interface RunningCall {
  stop: AbortController;
  /** The question that waits for an answer. */
  question?: PromiseWithResolvers<Record<string, string>>;
}

/** The most characters of a program's output that a call sends to the page. */
const MAX_OUTPUT = 2 ** 20;

/** Runs the calls of the page in the same way as those of `toolcall mcp`. */
export class PageCalls {
  readonly #running = new Map<string, RunningCall>();

  /** Takes the functions of the command line. */
  constructor(readonly backend: PageBackend) {}

  /** Runs a call. The response is a stream of `start`, `progress`, `output`, `question`, `result`. */
  async run({ call, flags }: PageCall): Promise<Response> {
    const { shared, narrow } = this.backend;
    const narrowed = flags === undefined ? {} : await narrow(flags);
    const id = crypto.randomUUID();
    const running: RunningCall = { stop: new AbortController() };
    const { signal } = running.stop;
    this.#running.set(id, running);
    const stream = new EventStream(() => {
      this.#running.delete(id);
      running.stop.abort();
    });
    stream.send("start", { id });
    const options: CallOptions = {
      ...shared.options,
      ...narrowed,
      listeners: {
        ...reportTo(stream),
        cancelSignal: () => signal,
      },
      ask: {
        ...shared.options.ask,
        client: async (questions) => {
          running.question = Promise.withResolvers();
          stream.send("question", { id, questions });
          return await running.question.promise;
        },
      },
    };
    const begun = performance.now();
    const finish = async () => {
      const result = await shared.semaphore.run(
        () => shared.isolatePrints(() => executeCall(call, options)),
        signal,
      ).catch((error) => {
        const why = new CallError("cancelled", `The call of ${quote(call.name)} was cancelled`);
        return rejectCall(signal.aborted ? why : error, options, call);
      });
      const ms = Math.round(performance.now() - begun);
      stream.send("result", { result, ms, exit: exitCodeOf(result) });
      stream.close();
    };
    finish();
    return stream.response;
  }

  /** Answers the question of a call, or declines it. Returns whether a question waited. */
  answer(id: string, answers: Record<string, string> | undefined): boolean {
    const running = this.#running.get(id);
    const question = running?.question;
    if (running === undefined || question === undefined) return false;
    delete running.question;
    if (answers !== undefined) question.resolve(answers);
    else {
      const why = "The user declined to answer; continue without the answers";
      question.reject(new CallError("tool_failed", why));
    }
    return true;
  }

  /** Cancels a call. Returns whether it ran. */
  cancel(id: string): boolean {
    const running = this.#running.get(id);
    running?.stop.abort();
    running?.question?.reject(new CallError("cancelled", "The call was cancelled"));
    return running !== undefined;
  }

  /** Cancels all calls. */
  close(): void {
    for (const id of [...this.#running.keys()]) this.cancel(id);
  }
}

/** The listeners that send the reports of a call to the page. */
function reportTo(
  stream: EventStream,
): Pick<CallOptions["listeners"], "onProgress" | "onPrint" | "onOutput"> {
  const decoder = new TextDecoder();
  let left = MAX_OUTPUT;
  return {
    onProgress: (line) => stream.send("progress", line),
    onPrint: limitPrints(({ text }) => stream.send("output", text)),
    onOutput(chunk) {
      if (left <= 0) return;
      left -= chunk.length;
      stream.send("output", decoder.decode(chunk, { stream: true }));
    },
  };
}
