/** Ends the programs of a call with the call, however the call ends. */

import { delay } from "@std/async/delay";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import type { Kernel } from "../linux/kernel.ts";
import { endGroup, signalProcess } from "./process.ts";
import { procState } from "../linux/proc.ts";
import { awaitFile, keeperScript } from "../linux/keeper.ts";
import { standBy } from "./spawn.ts";

/** The time that programs may take to end after KILL, in milliseconds. */
const KILL_MS = 1_000;
/** The number of searches in a row that must find no new child after one that found some. */
const QUIET_ROUNDS = 3;
const PR_SET_CHILD_SUBREAPER = 36;
const WNOHANG = 1;
/** The most processes whose names are requested, and the time limit for the names. */
const [MAX_NAMED, NAMES_MS] = [20, 500];

/** The folders of a call that are supervised; each is empty if it does not exist. */
export interface KeptFolders {
  /** The path that the call's private folder will have. */
  folder?: string;
  /** The directory of such folders. */
  root?: string;
}

/** Tracks the programs of one call. */
export class Supervisor {
  #kernel: Kernel | undefined;
  #keeper: Deno.ChildProcess | undefined;
  #words: WritableStreamDefaultWriter<Uint8Array> | undefined;
  #sent: Promise<void> = Promise.resolve();
  #children: Deno.FsFile | undefined;
  #groups = new Set<number>();
  #started = new Set<number>();
  #survivors: string[] = [];
  #heldFile: string | undefined;

  /** Must be made before the sandbox is entered. It takes the kernel over. */
  constructor(kernel: Kernel | undefined, { folder = "", root = "" }: KeptFolders = {}) {
    this.#kernel = kernel;
    // Process numbers of another PID namespace would name unrelated processes here.
    const hasProc = procState() === "own";
    this.#keeper = Deno.build.os === "windows"
      ? undefined
      : standBy(keeperScript, folder, hasProc ? "proc" : "", root);
    this.#words = this.#keeper?.stdin.getWriter();
    // An orphan becomes a child of this process, and is found among its children.
    if (hasProc && kernel?.call("prctl", PR_SET_CHILD_SUBREAPER, 1) === 0) {
      this.#children = childrenFile();
    }
  }

  /** The process that runs outside the sandbox. */
  get keeper(): number | undefined {
    return this.#keeper?.pid;
  }

  /**
   * The command lines of processes that still ran when the last program had ended by itself. They
   * were ended with it. The list has only those that the system reports.
   */
  get survivors(): readonly string[] {
    return this.#survivors;
  }

  /**
   * Makes the keeper remove the private folder at the end. Resolves once the keeper was informed.
   */
  async madeFolder(path: string): Promise<void> {
    this.#tell("made");
    this.#heldFile = `${path}/held`;
    await this.#sent;
  }

  /** Waits until the keeper is in the folder, which a program could close. Throws `unavailable`. */
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
   * Keeps the file of a long output after the call. Outputs that are a day old are removed then.
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
   * ended, also ends the processes that have left their group, by `endAll` or one by one.
   */
  async end(group: number, endAll = () => false): Promise<void> {
    if (!this.#groups.delete(group)) return;
    if (this.#groups.size === 0) this.#survivors = await this.#namesAfter(group);
    await endGroup(group, () => this.#reap());
    if (this.#groups.size > 0) return;
    if (!endAll()) await this.#endSurvivors();
    this.#tell("end");
    await this.#sent;
    await this.#words?.close().catch(() => {});
    this.#children?.close();
    this.#children = undefined;
    this.#kernel?.close();
  }

  #tell(word: string): void {
    const bytes = new TextEncoder().encode(`${word}\n`);
    this.#sent = this.#sent.then(() => this.#words?.write(bytes)).catch(() => {});
  }

  /** The processes that still run after a program; none when the program itself does. */
  async #namesAfter(group: number): Promise<string[]> {
    // An ended process is no survivor, and leaves the list once it is reaped.
    this.#reap();
    const children = this.#childPids();
    const left = children.filter((pid) => pid !== this.#keeper?.pid);
    if (left.length === 0 || left.includes(group)) return [];
    const asked = left.slice(0, MAX_NAMED);
    // Inside the sandbox this process sees none of them; the keeper does.
    this.#tell(`name ${asked.join(" ")}`);
    const late = delay(NAMES_MS).then(() => asked.map((pid) => `process ${pid}`).join("\n"));
    const names = (await Promise.race([this.#linesOfKeeper(asked.length), late])).split("\n");
    // A process that has ended in the meantime has no name.
    return names.map((name) => escapeControls(name.trim())).filter((name) => name !== "");
  }

  async #linesOfKeeper(count: number): Promise<string> {
    const reader = this.#keeper!.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (text.split("\n").length <= count) {
      const { value, done } = await reader.read();
      if (done) break;
      text += value;
    }
    return text;
  }

  /**
   * Reaps the ended children that this process inherited. Until then their group seems to exist.
   */
  #reap(): void {
    for (const pid of this.#childPids()) {
      // The runtime waits for its own children itself.
      if (pid === this.#keeper?.pid || this.#started.has(pid)) continue;
      this.#kernel?.call("wait4", pid, 0, WNOHANG);
    }
  }

  /** A killed process leaves its children to this one, so repeat until no new one appears. */
  async #endSurvivors(): Promise<void> {
    const seen = new Set([this.#keeper?.pid]);
    let quiet = QUIET_ROUNDS;
    for (const end = Date.now() + KILL_MS; Date.now() < end; await delay(5)) {
      const fresh = this.#childPids().filter((pid) => !seen.has(pid));
      for (const pid of fresh) {
        seen.add(pid);
        signalProcess(pid, "SIGKILL");
      }
      quiet = fresh.length > 0 ? 0 : quiet + 1;
      if (quiet >= QUIET_ROUNDS) return;
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

/**
 * The kernel's list of this process's children. Once it is open, it stays readable in every
 * sandbox.
 */
function childrenFile(): Deno.FsFile | undefined {
  try {
    return Deno.openSync(`/proc/${Deno.pid}/task/${Deno.pid}/children`);
  } catch {
    return undefined;
  }
}
