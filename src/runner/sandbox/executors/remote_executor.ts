import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import { repositoriesAbove } from "../policy/paths.ts";
import { noServices, replyTo } from "./context.ts";
import type {
  Answer,
  Ask,
  Executor,
  ExecutorOutput,
  Job,
  Order,
  Printed,
  RunOptions,
  Serve,
} from "./executor.ts";
import type { ModuleAnswer, ModuleOrder } from "../../registry/tool_module.ts";
import { printToStderr, type TakePrint } from "./prints.ts";

/**
 * The most levels of nested arguments that another thread can receive. The copy is recursive, and
 * if it exceeds the stack of that thread, nobody gets an error.
 */
const MAX_LEVELS = 1_000;

/** The way of orders to another thread or process. */
export interface OrderChannel {
  /** Sends an order. */
  send(order: Order | ModuleOrder): void;
  /** Ends the other side at once. */
  close(): void;
}

/** Runs jobs in another thread or process, one at a time, by messages. */
export class RemoteExecutor implements Executor {
  #channel: OrderChannel;
  #serve: Serve = noServices;
  #settle: ((answer: Answer) => void) | undefined;
  #answer: ((answer: ModuleAnswer) => void) | undefined;
  #fail: ((error: CallError) => void) | undefined;
  #death: CallError | undefined;
  // A print before the first job, while the tool's code is loaded, belongs to that job.
  #early: Printed[] = [];
  #take: TakePrint | undefined;
  #tool: string;

  /** Takes the channel, and the tool that prints before the first job, if it is known. */
  constructor(channel: OrderChannel, tool = "") {
    this.#channel = channel;
    this.#tool = tool;
  }

  /** Takes a message of the other side. */
  async receive(message: Answer | Ask | Printed | ModuleAnswer): Promise<void> {
    if ("print" in message) this.#print(message);
    else if ("said" in message || "fault" in message || "refused" in message) {
      this.#answer?.(message);
    } else if ("ask" in message) this.#channel.send(await replyTo(message, this.#serve));
    else this.#settle?.(message);
  }

  /** Takes the end of the other side. If it has no job, the next job fails with this error. */
  fail(error: CallError): void {
    this.#death = error;
    this.#fail?.(error);
  }

  /** Sends an order with a question, and waits for its answer. */
  async askModule(order: ModuleOrder): Promise<ModuleAnswer> {
    if (this.#death !== undefined) throw this.#death;
    return await new Promise((resolve, reject) => {
      this.#answer = resolve;
      this.#fail = reject;
      this.#channel.send(order);
    });
  }

  /** Runs a job. `extra` goes with it. */
  async run(
    job: Job,
    { signal, serve, onPrint = printToStderr }: RunOptions,
    extra: Omit<Extract<Order, { job: Job }>, "job"> = {},
  ): Promise<ExecutorOutput> {
    this.#tool = job.tool;
    this.#printTo(onPrint);
    if (this.#death !== undefined) throw this.#death;
    this.#serve = serve;
    const answered = new Promise<Answer>((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
    });
    const stop = () => {
      const { message, name } = signal.reason;
      this.#channel.send({ stop: { message, name } });
    };
    signal.addEventListener("abort", stop);
    try {
      // A job that writes does not search, so it does not ask for repositories.
      const paths = job.writes.length > 0 ? [] : Object.values(job.paths);
      const repositories = repositoriesAbove(paths);
      this.#channel.send({ job: { ...job, repositories }, ...extra });
      const answer = await answered;
      if ("output" in answer) return answer.output;
      const { code, message, details, stack } = answer;
      const failure = new CallError(code, message, details);
      if (stack !== undefined) failure.cause = Object.assign(new Error(message), { stack });
      throw failure;
    } finally {
      signal.removeEventListener("abort", stop);
      this.#take = printToStderr;
    }
  }

  /** Ends the other side, and the running job. */
  close(): void {
    this.#channel.close();
    this.#printTo(this.#take ?? printToStderr);
    this.#fail?.(new CallError("cancelled", "The tool's thread was ended"));
  }

  #print({ level, print }: Printed): void {
    if (this.#take === undefined) this.#early.push({ level, print });
    else this.#take({ tool: this.#tool, level, text: print });
  }

  #printTo(take: TakePrint): void {
    this.#take = take;
    this.#early.forEach((printed) => this.#print(printed));
    this.#early = [];
  }
}

/** Throws `invalid_arguments` for arguments that no other thread can receive. */
export function refuseDeep({ tool, args }: Job): void {
  let level: unknown[] = [args];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_LEVELS) {
      const why = `its arguments are nested more than ${MAX_LEVELS} levels deep`;
      throw new CallError("invalid_arguments", `Cannot call ${quote(tool)}: ${why}`, { tool });
    }
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? Object.values(value) : []
    );
  }
}
