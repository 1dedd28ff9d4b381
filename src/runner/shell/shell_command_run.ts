import { CallError } from "../../base/errors.ts";
import { isObject } from "../../base/json/is_object.ts";
import type { KeepOptions } from "../mcp/kept/keep_order.ts";
import { KeptTransport } from "../mcp/kept/kept_transport.ts";
import type { ShellCommand, ShellReport } from "../registry/tool_context.ts";
import { openOutputFile } from "../sandbox/executors/private_directory.ts";
import { endNewProcesses, hasTooMany, MAX_LEFT, processesBelow } from "./new_processes.ts";
import { OutputQueue } from "./output_queue.ts";
import { ACK, INTERRUPT, RUN_COMMAND, type RunAnswer } from "./shell_messages.ts";

/** The times that a command is given to a shell that ends at that moment. */
const TRIES = 3;
/** The time that the host has to end a command, in milliseconds. */
const INTERRUPT_MS = 12_000;

type Status = { code: number; signal: string | null };
type Message = Record<string, unknown>;

/** One command in the shell of a session, as the call sees it. */
export class ShellCommandRun implements ShellCommand {
  /** The exit status of the command, or of the shell if it has ended. */
  readonly status: Promise<Status>;
  /** The state of the shell after the command. */
  readonly report: Promise<ShellReport>;
  /** Its output, with its messages. */
  readonly stdout = new OutputQueue(() => this.#notify(ACK));
  /** Nothing: messages are a part of the output. */
  readonly stderr = new OutputQueue();
  #name = crypto.randomUUID();
  #transport: KeptTransport | undefined;
  #answer = Promise.withResolvers<RunAnswer | CallError | string>();
  #hasBegun = false;
  #isInterrupted = false;
  #before: string | undefined;
  /** The processes of the shell before this command. */
  #old: ReturnType<typeof processesBelow> = new Map();
  #isNew = false;

  /** Starts the command. `endShell` ends the shell with all that it has started. */
  constructor(
    readonly keep: KeepOptions,
    readonly command: string,
    readonly options: { signal: AbortSignal; endShell: () => Promise<void> },
  ) {
    const ended = this.#run().finally(() => this.stdout.end());
    this.stderr.end();
    this.status = ended.then(({ status }) => status);
    this.report = ended.then(({ report }) => report);
    // The tool awaits only one of them if the command fails to start.
    for (const each of [this.status, this.report]) each.catch(() => {});
  }

  /** The process of the shell's host. */
  get pid(): number {
    return this.#transport?.pid ?? 0;
  }

  /** Interrupts the command. The shell stays if it can. */
  async end(): Promise<void> {
    if (this.#isInterrupted) return;
    this.#isInterrupted = true;
    this.#notify(INTERRUPT);
    const timer = setTimeout(() => this.#answer.resolve("its host does not respond"), INTERRUPT_MS);
    await this.status.catch(() => {});
    clearTimeout(timer);
  }

  /** Opens the file of a long output. */
  openOutput = openOutputFile;

  async #run(): Promise<{ status: Status; report: ShellReport }> {
    for (let tries = 1;; tries++) {
      const answer = await this.#attempt();
      if (answer instanceof CallError) throw answer;
      if (typeof answer !== "string") return await this.#result(answer);
      if (this.#hasBegun || this.#isInterrupted) await this.options.endShell();
      if (this.#isInterrupted) {
        return { status: { code: 130, signal: null }, report: this.#report("ended", LOST) };
      }
      if (!this.#hasBegun && tries < TRIES) continue;
      const { server } = this.keep.order;
      const message = `The shell of the session ${JSON.stringify(server)} ended unexpectedly` +
        `${answer}; the next call starts a new one`;
      throw new CallError("unavailable", message, { session: server });
    }
  }

  /** Gives the command to the shell. Returns a string if the connection ended without an answer. */
  async #attempt(): Promise<RunAnswer | CallError | string> {
    const { signal } = this.options;
    this.#answer = Promise.withResolvers();
    const transport = this.#transport = new KeptTransport(this.keep, signal);
    transport.onmessage = (message) => this.#take(message as unknown as Message);
    transport.onclose = () => {
      void transport.exitReason().then((reason) => this.#answer.resolve(reason));
    };
    try {
      await transport.start();
    } catch (error) {
      if (error instanceof CallError) return error;
      // The process of the shell has ended at its start.
      return await transport.exitReason();
    }
    if (transport.started !== undefined) {
      this.#isNew = true;
      this.#before = transport.started.before;
    }
    this.#old = processesBelow(this.pid);
    const params = { run: this.#name, command: this.command, _meta: { progressToken: 1 } };
    await this.#send({ id: 1, method: RUN_COMMAND, params });
    if (this.#isInterrupted) this.#notify(INTERRUPT);
    try {
      return await this.#answer.promise;
    } finally {
      await transport.close();
    }
  }

  async #result(answer: RunAnswer): Promise<{ status: Status; report: ShellReport }> {
    const { code, signal, isKept } = answer;
    const status = { code, signal };
    if (!isKept) {
      return { status, report: this.#report("ended", this.#isInterrupted ? LOST : LEFT) };
    }
    if (hasTooMany(this.pid)) {
      await this.options.endShell();
      const note = `The command left more than ${MAX_LEFT} processes. The shell was ended with ` +
        "them, and its state is lost.";
      return { status, report: this.#report("ended", note) };
    }
    const note = this.#isInterrupted
      ? "The shell was kept, with its state."
      : this.#before === undefined
      ? undefined
      : `This is a new shell, because the one before has ended: ${this.#before}.`;
    return { status, report: this.#report(this.#isNew ? "new" : "kept", note) };
  }

  #report(state: ShellReport["state"], note: string | undefined): ShellReport {
    return { session: this.keep.order.server, state, ...(note !== undefined && { note }) };
  }

  #take({ id, method, params, result, error }: Message): void {
    const given = isObject(params) ? params : {};
    if (method === "notifications/progress") {
      this.#hasBegun ||= given["begun"] === true;
      const { output } = given;
      if (typeof output === "string") this.stdout.add(Uint8Array.fromBase64(output));
    } else if (method !== undefined) {
      const end = given as unknown as Omit<Parameters<typeof endNewProcesses>[0], "old">;
      endNewProcesses({ ...end, old: this.#old });
      void this.#send({ id, result: {} });
    } else if (isObject(error)) {
      const { code, details } = error["data"] as Pick<CallError, "code" | "details">;
      this.#answer.resolve(new CallError(code, String(error["message"]), details));
    } else if (isObject(result)) this.#answer.resolve(result as unknown as RunAnswer);
  }

  #notify(method: string): void {
    void this.#send({ method, params: { run: this.#name } });
  }

  async #send(message: Message): Promise<void> {
    try {
      await this.#transport?.send({ jsonrpc: "2.0", ...message } as never);
    } catch { /* The end of the connection is noticed elsewhere. */ }
  }
}

const LOST =
  "The command could not be ended alone. The shell was ended too, and its state is lost.";
const LEFT = "The shell has ended with this command, and its state is lost. The next call of the " +
  "session starts a new one.";
