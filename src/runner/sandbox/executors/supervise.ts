/** Ends the programs of a call with the call, however the call ends. */

import { delay } from "@std/async/delay";
import { CallError } from "../../../base/errors.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import type { Kernel } from "../linux/kernel.ts";
import { procState } from "../linux/proc.ts";
import { isThere } from "../policy/paths.ts";
import type { NativePrograms } from "../linux/native_programs.ts";
import { KEEPER, type Keeper, standBy } from "./keeper.ts";
import { endGroup, signalProcess } from "./spawn.ts";

/** The time that the keeper may take to begin, and programs to end after KILL, in milliseconds. */
const [BEGIN_MS, KILL_MS] = [10_000, 1_000];
/** The time that the system may take to remove killed processes, in milliseconds. */
const GONE_MS = 5_000;
const PR_SET_CHILD_SUBREAPER = 36;
const WNOHANG = 1;
/** The most processes whose names are requested, and the time limit for the names. */
const [MAX_NAMED, NAMES_MS] = [20, 500];

/** The options of a {@link Supervisor}. */
interface SupervisorOptions {
  /** The path that the private directory will have. */
  directory?: string | undefined;
  /** The directory where all private directories are made. */
  root?: string | undefined;
  /** Whether further calls follow in this process, so that the keeper stays after a call. */
  stays?: boolean;
  /** Starts the keeper, if it can. */
  native?: NativePrograms | undefined;
}

/** The numbers of the signals that end programs; 0 only tests. */
const SIGNALS = { SIGKILL: 9, SIGTERM: 15, 0: 0 };

/** Tracks the programs of one call, or of calls that follow one another. */
export class Supervisor {
  #kernel: Kernel | undefined;
  // Process numbers of another PID namespace would name unrelated processes here.
  #hasProc: boolean;
  #keeper: Keeper | undefined;
  /** The children that are no call's: the keeper, and what this process started for itself. */
  #own: ReadonlySet<number> = new Set();
  #sent: Promise<void> | undefined;
  #children: Deno.FsFile | undefined;
  #groups = new Set<number>();
  #started = new Set<number>();
  #survivors: string[] = [];
  #heldFile: string | undefined;
  #lines: ReadableStreamDefaultReader<string> | undefined;
  #stays: boolean;
  #isLate = false;

  /** Must be made before the sandbox is entered. It takes the kernel over. */
  constructor(
    kernel: Kernel | undefined,
    { directory = "", root = "", stays = false, native }: SupervisorOptions = {},
  ) {
    this.#kernel = kernel;
    this.#stays = stays;
    this.#hasProc = procState() === "own";
    this.#keeper = Deno.build.os === "windows"
      ? undefined
      : standBy(KEEPER, [directory, this.#hasProc ? "proc" : "", root], native);
    // An orphan becomes a child of this process, and is found among its children.
    if (this.#hasProc && kernel?.call("prctl", PR_SET_CHILD_SUBREAPER, 1) === 0) {
      this.#children = childrenFile();
      this.#own = new Set(this.#childPids());
    }
  }

  /** The process that runs outside the sandbox. */
  get keeper(): number | undefined {
    return this.#keeper?.pid;
  }

  /**
   * The command lines of processes that still ran when the last program had ended by itself, and
   * that were ended with it, as far as the system reports them.
   */
  get survivors(): readonly string[] {
    return this.#survivors;
  }

  /** Makes the keeper remove the private directory at the end. Resolves once it was informed. */
  async madeDirectory(path: string): Promise<void> {
    this.#heldFile = `${path}/held`;
    this.#tell("made");
    await this.#sent;
  }

  /**
   * Waits until the keeper is in the directory, which a program could close. Throws `unavailable`.
   */
  awaitKeeper(): void {
    if (this.#heldFile !== undefined) awaitFile(this.#heldFile);
    this.#heldFile = undefined;
  }

  /** Registers a program that was started as the leader of its group. */
  started(group: number): void {
    this.#groups.add(group);
    this.#started.add(group);
    this.#tell(String(group));
  }

  /**
   * Keeps the file of a long output after the call. Then outputs that are a day old are removed.
   */
  keepOutput(): void {
    this.#tell("keep");
  }

  /** Removes the file after all. */
  dropOutput(): void {
    this.#tell("drop");
  }

  /**
   * Ends a program's group, with TERM first and KILL half a second later. Once the last program has
   * ended, also ends the processes that have left their group, by `endAll` and one by one.
   */
  async endProgram(group: number, endAll?: () => void): Promise<void> {
    if (!this.#groups.delete(group)) return;
    if (this.#groups.size === 0) this.#survivors = await this.#namesAfter(group);
    await endGroup(group, this.#signal, () => this.#reap());
    if (this.#groups.size > 0) return;
    endAll?.();
    await this.#endSurvivors();
    this.#tell("end");
    await this.#sent;
    if (!this.#stays) await this.close();
  }

  /** Ends the keeper, which then cleans up. No call may follow. */
  async close(): Promise<void> {
    await this.#keeper?.close();
    await this.#lines?.cancel();
    this.#children?.close();
    this.#children = undefined;
    this.#kernel?.close();
    this.#kernel = undefined;
  }

  /**
   * Forgets the call that has ended. Returns whether none of its processes is left, so that another
   * call may follow. Every process of a call descends from this one, and an orphan becomes its
   * child. So without children there is no process.
   */
  async forgetCall(): Promise<boolean> {
    if (this.#children === undefined || this.#groups.size > 0 || this.#isLate) return false;
    for (const end = Date.now() + KILL_MS; Date.now() < end; await delay(2)) {
      this.#reap();
      const left = this.#childPids().filter((pid) => !this.#own.has(pid));
      // On a busy machine a killed process leaves its children late.
      for (const pid of left) this.#signal(pid, "SIGKILL");
      if (left.length > 0) continue;
      this.#started.clear();
      this.#survivors = [];
      return true;
    }
    return false;
  }

  #tell(word: string): void {
    this.#sent = this.#keeper?.tell(`${word}\n`);
  }

  /**
   * Signals a process, or a group by its negative number. Returns whether it exists. The runtime's
   * way to do it costs a cold call 3 ms.
   */
  #signal = (target: number, signal: keyof typeof SIGNALS): boolean =>
    this.#kernel === undefined
      ? signalProcess(target, signal)
      : this.#kernel.call("kill", target, SIGNALS[signal]) === 0;

  /** The processes that still run after a program; none when the program itself does. */
  async #namesAfter(group: number): Promise<string[]> {
    // An ended process is no survivor, and leaves the list once it is reaped.
    this.#reap();
    const children = this.#childPids();
    const left = children.filter((pid) => !this.#own.has(pid));
    if (left.length === 0 || left.includes(group)) return [];
    const asked = left.slice(0, MAX_NAMED);
    // Inside the sandbox this process sees none of them; the keeper does.
    this.#tell(`name ${asked.join(" ")}`);
    const late = delay(NAMES_MS).then(() => undefined);
    const lines = await Promise.race([this.#linesOfKeeper(asked.length), late]);
    this.#isLate ||= lines === undefined;
    const names = lines?.split("\n") ?? asked.map((pid) => `process ${pid}`);
    // A process that has ended in the meantime has no name.
    return names.map((name) => escapeControls(name.trim())).filter((name) => name !== "");
  }

  async #linesOfKeeper(count: number): Promise<string> {
    const reader = this.#lines ??= this.#keeper!.output().pipeThrough(new TextDecoderStream())
      .getReader();
    let text = "";
    while (text.split("\n").length <= count) {
      const { value, done } = await reader.read();
      if (done) break;
      text += value;
    }
    return text;
  }

  /**
   * Reaps the ended children that this process inherited: until then their group seems to exist.
   */
  #reap(): void {
    for (const pid of this.#childPids()) {
      // The runtime waits for its own children itself.
      if (this.#own.has(pid) || this.#started.has(pid)) continue;
      this.#kernel?.call("wait4", pid, 0, WNOHANG);
    }
  }

  /**
   * Ends the processes that are left, and waits until they are gone. A killed process leaves its
   * children to this one, on a busy machine late: without a child, no process is left. Until then
   * they count for the user's limit of processes, so that the next call could start none.
   */
  async #endSurvivors(): Promise<void> {
    for (const end = Date.now() + GONE_MS; Date.now() < end; await delay(5)) {
      this.#reap();
      const left = this.#childPids()
        .filter((pid) => !this.#own.has(pid) && !this.#started.has(pid));
      if (left.length === 0) return;
      for (const pid of left) this.#signal(pid, "SIGKILL");
    }
  }

  #childPids(): number[] {
    if (this.#children === undefined) return [];
    const bytes = new Uint8Array(65_536);
    this.#children.seekSync(0, Deno.SeekMode.Start);
    const text = new TextDecoder().decode(bytes.subarray(0, this.#children.readSync(bytes) ?? 0));
    return text.split(" ").filter((word) => word !== "").map(Number);
  }
}

/** The kernel's list of this process's children. An open one stays readable in every sandbox. */
function childrenFile(): Deno.FsFile | undefined {
  try {
    return Deno.openSync(`/proc/${Deno.pid}/task/${Deno.pid}/children`);
  } catch {
    return undefined;
  }
}

/** Blocks this thread until the keeper has made a file. Throws `unavailable`. */
function awaitFile(path: string): void {
  const turn = new Int32Array(new SharedArrayBuffer(4));
  for (const end = Date.now() + BEGIN_MS; !isThere(path);) {
    if (Date.now() > end) {
      const why = "the process that ends a call's programs does not respond";
      throw new CallError("unavailable", `Cannot start programs: ${why}; try again`);
    }
    Atomics.wait(turn, 0, 0, 1);
  }
}
