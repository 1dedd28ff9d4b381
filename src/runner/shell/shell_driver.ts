/** The bash of a session, as its host sees it: commands go in, and output and marks come out. */

import { delay } from "@std/async/delay";
import { concat } from "@std/bytes/concat";
import { signalProcess } from "../sandbox/executors/spawn.ts";
import { BetweenOutput } from "./between_output.ts";
import { markLine, Marks, shellWord } from "./marks.ts";

/** The arguments of bash: an interactive one gives up a command at SIGINT, and stays. */
export const BASH_ARGUMENTS = ["--norc", "--noprofile", "--noediting", "-i", "-s"];

/** The environment would tell programs of these, and the history would keep the lines below. */
const SETTINGS = " set +o history +o histexpand; unset HISTFILE MAILCHECK";

/**
 * The times that a command has to end after each SIGINT, in milliseconds. A new process of bash does
 * not pass on a SIGINT that comes before it runs its program, so one signal may have no effect.
 */
const INTERRUPT_MS = [500, 100, 150, 200, 300, 400, 500, 700, 1_000, 1_500];
/** The time after SIGINT in which bash drops the line that it reads, in milliseconds. */
const DROP_MS = 50;
/** The time in which the rest of the output is read after the end of the shell, in milliseconds. */
const DRAIN_MS = 1_400;

/** The exit code of a command that was interrupted (128 and the number of SIGINT). */
const INTERRUPTED = 130;

/** The end of a command. */
export interface CommandEnd {
  /** The exit code of the command, or of the shell if that has ended. */
  code: number;
  /** The signal that ended the shell, if one did. */
  signal: string | null;
  /** Whether the shell takes further commands. */
  isKept: boolean;
}

/** Takes a part of the output. Nothing more is read until it resolves. */
type TakeOutput = (bytes: Uint8Array) => Promise<void>;

/**
 * Runs commands in one bash, one at a time. Bash reads them from a pipe, of which no program gets a
 * copy. The end of a command is a mark in the output: a random text that is new for each command
 * and that bash gets in a line with the command, so that no variable and no file has it. A second
 * mark, which is sent after the first one, confirms that bash reads commands again.
 */
export class ShellDriver {
  /** Resolves when the process of bash has ended. */
  readonly ended: Promise<{ code: number; signal: string | null }>;
  /** Resolves when nobody has its output open any more. */
  readonly drained: Promise<void>;
  #input: WritableStreamDefaultWriter<Uint8Array>;
  #marks = new Marks();
  #take: TakeOutput | undefined;
  #between = new BetweenOutput();
  #lastCode = 0;

  /** Takes the process. `endShell` ends it with all that it has started. */
  constructor(readonly child: Deno.ChildProcess, readonly endShell: () => Promise<void>) {
    this.ended = child.status.then(({ code, signal }) => ({ code, signal }));
    this.#input = child.stdin.getWriter();
    this.#input.closed.catch(() => {});
    this.drained = this.#readAll();
  }

  /** Waits until bash reads commands. Its output until then is dropped. */
  async begin(): Promise<void> {
    this.#take = () => Promise.resolve();
    this.#write(SETTINGS);
    await Promise.race([this.#mark(), this.ended]);
    this.#take = undefined;
  }

  /**
   * Runs a command to its end, or until `stop` is aborted. `endForeground` ends the processes that
   * were started since, from outside the sandbox.
   */
  async run(
    command: string,
    { take, stop, endForeground }: {
      take: TakeOutput;
      stop: AbortSignal;
      endForeground: () => Promise<void>;
    },
  ): Promise<CommandEnd> {
    this.#take = take;
    const before = this.#between.takeAll();
    if (before.length > 0) await take(before);
    const mark = this.#marks.expect();
    const last = this.#lastCode;
    // This sets $? as the last command left it. With "set -e" it would end the shell.
    const status = last === 0 ? "" : `[[ $- == *e* ]] || (\\builtin exit ${last}); `;
    this.#write(
      `${status}{ \\builtin eval -- ${shellWord(command)}; } </dev/null 2>&1 1>&2; ${
        markLine(mark.text)
      }`,
    );
    const stopped = Promise.withResolvers<undefined>();
    const stopNow = () => stopped.resolve(undefined);
    if (stop.aborted) stopNow();
    stop.addEventListener("abort", stopNow, { once: true });
    const ended = this.ended.then(() => undefined);
    const code = await Promise.race([mark.seen, ended, stopped.promise]);
    let isIdle = code !== undefined && await this.#isIdle(ended, stopped.promise);
    if (!isIdle && stop.aborted) isIdle = await this.#interrupt(endForeground);
    this.#marks.forget();
    this.#take = isIdle ? undefined : take;
    if (isIdle) {
      this.#lastCode = code ?? INTERRUPTED;
      return { code: this.#lastCode, signal: null, isKept: true };
    }
    await this.endShell();
    const end = await this.ended;
    // A process that could not be ended may have the output open.
    await Promise.race([this.drained, delay(DRAIN_MS)]);
    return { code: code ?? end.code, signal: end.signal, isKept: false };
  }

  /** Whether bash confirms that it reads commands again. */
  async #isIdle(...others: Promise<undefined>[]): Promise<boolean> {
    return await Promise.race([this.#mark(), ...others]) !== undefined;
  }

  /** Ends what runs in the foreground. Returns whether the shell takes commands again. */
  async #interrupt(endForeground: () => Promise<void>): Promise<boolean> {
    for (const ms of INTERRUPT_MS) {
      // Background jobs ignore SIGINT. A stopped process gets it only when it goes on.
      for (const signal of ["SIGINT", "SIGCONT"] as const) signalProcess(-this.child.pid, signal);
      await delay(DROP_MS);
      const none = this.ended.then(() => undefined);
      if (await this.#isIdle(none, delay(ms).then(() => undefined))) return true;
      if (await Promise.race([this.ended.then(() => true), false])) return false;
      await endForeground();
    }
    return false;
  }

  /** Resolves with a number when bash has printed a new mark. */
  #mark(): Promise<number> {
    const mark = this.#marks.expect();
    this.#write(` ${markLine(mark.text)}`);
    return mark.seen;
  }

  #write(line: string): void {
    // A shell that has ended reads nothing more.
    this.#input.write(new TextEncoder().encode(`${line}\n`)).catch(() => {});
  }

  async #readAll(): Promise<void> {
    let rest = new Uint8Array(0);
    try {
      for await (const chunk of this.child.stdout) {
        rest = await this.#feed(rest.length === 0 ? chunk : concat([rest, chunk]));
      }
    } catch { /* The pipe is closed. */ }
    if (rest.length > 0) await this.#give(rest);
  }

  /** Passes output on, and notes marks in it. Returns the part that may be the begin of a mark. */
  async #feed(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    for (;;) {
      const found = this.#marks.find(bytes);
      await this.#give(bytes.subarray(0, found.start));
      bytes = bytes.subarray(found.end);
      if (found.note === undefined) return bytes.slice();
      found.note();
    }
  }

  async #give(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return;
    await (this.#take?.(bytes) ?? this.#between.add(bytes));
  }
}
