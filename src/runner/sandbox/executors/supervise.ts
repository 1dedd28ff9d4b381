/** Ends the programs of a call with the call, however the call ends. */

import { delay } from "@std/async/delay";
import { CallError } from "../../../base/errors.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { type Kernel, procState } from "../linux/kernel.ts";
import { isThere } from "../policy/paths.ts";
import { endGroup, signalProcess } from "./spawn.ts";

/** The time that the keeper may take to begin, and programs to end after KILL, in milliseconds. */
const [BEGIN_MS, KILL_MS] = [10_000, 1_000];
/** The number of searches in a row that must find no new child after one that found some. */
const QUIET_ROUNDS = 3;
const PR_SET_CHILD_SUBREAPER = 36;
const WNOHANG = 1;
/** The most processes whose names are requested, and the time limit for the names. */
const [MAX_NAMED, NAMES_MS] = [20, 500];

/**
 * The script of a shell outside the sandbox, which outlives toolcall by a moment. Its arguments are
 * the path of the private directory, "proc" where /proc is this namespace's, and the directory
 * where all private directories are made; each may be empty. It reads lines from its input:
 *
 * - `made`: the private directory is there. The script stays in it, as another directory could take
 *   its place, and says so by a new file `held`. Before that, a program of another call that may
 *   write its parent can replace it. Then the script touches nothing in it.
 * - a number: a process group that was started.
 * - `name` and numbers: the script answers with the command line of each, in a line. A process that
 *   is being replaced by another program has none for a moment, and is named by the program before.
 * - `end`: all groups have ended.
 * - `keep`, `drop`: the file of the output has to stay, or not.
 *
 * When its input ends, because toolcall closes it or is killed, the script ends the groups that are
 * left. It also ends processes with the TMPDIR of this call that it was not told of. Then it
 * removes the private directory through a descriptor, because the call may have shut the directory
 * by its mode. When an output stays, outputs that are a day old go.
 */
const KEEPER = `own() { cd -P -- "$1" && [ "$PWD" = "$1" ]; }
groups= keep= made= ended= left=50
while read -r word rest; do
  case $word in
    made)
      if own "$1" && set -C && true >held; then exec 3<.; made=yes; else cd / && set -- '' ''; fi ;;
    end) groups= ended=yes ;;
    keep) keep=yes ;;
    drop) keep= ;;
    name)
      for pid in $rest; do
        name=$(tr '\\0\\n' '  ' <"/proc/$pid/cmdline") || { [ -d "/proc/$pid" ] && name="process $pid"; }
        case $name in
          *[!\\ ]*) ;;
          *) grep -qs '^State:.[ZX]' "/proc/$pid/status" || read -r name <"/proc/$pid/comm" ;;
        esac
        printf '%s\\n' "$name"
      done ;;
    *) groups="$groups $word" ended= ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
[ ! "$keep" ] || [ ! "$3" ] ||
  find "$3" -mindepth 2 -maxdepth 2 -path '*/toolcall-????????????????/output.txt' -type f \\
    -user "$(id -u)" -mtime +0 -delete -exec sh -c 'rmdir -- "\${1%/*}"' sh {} ';'
[ "$1" ] || exit
[ "$made" ] ||
  { own "$1" || exit; rmdir tmp; rm -f output.txt; cd / && exec rmdir -- "$1"; }
folder=$1
while [ "$2" ] && [ ! "$ended" ] && [ "$((left -= 1))" -gt 0 ]; do
  files=$(grep -lszFx -- "TMPDIR=$folder/tmp" /proc/[0-9]*/environ)
  [ "$files" ] || break
  for file in $files; do file=\${file#/proc/}; kill -s KILL "\${file%/*}"; done
done
rm -rf tmp || { chmod u+rwx /proc/self/fd/3; rm -rf tmp; } ||
  { find tmp -type d -exec chmod u+rwx {} ';'; rm -rf tmp; }
rm -f held
[ "$keep" ] || { rm -f output.txt && cd / && exec rmdir -- "$folder"; }`;

/** Tracks the programs of one call. */
export class Supervisor {
  #kernel: Kernel | undefined;
  // Process numbers of another PID namespace would name unrelated processes here.
  #hasProc: boolean;
  #keeper: Deno.ChildProcess | undefined;
  #words: WritableStreamDefaultWriter<Uint8Array> | undefined;
  #sent: Promise<void> = Promise.resolve();
  #children: Deno.FsFile | undefined;
  #groups = new Set<number>();
  #started = new Set<number>();
  #survivors: string[] = [];
  #heldFile: string | undefined;

  /**
   * Must be made before the sandbox is entered. It takes the kernel over. `directory` is the path
   * that the call's private directory will have, and `root` is where all of them are made.
   */
  constructor(
    kernel: Kernel | undefined,
    { directory = "", root = "" }: { directory?: string | undefined; root?: string | undefined } =
      {},
  ) {
    this.#kernel = kernel;
    this.#hasProc = procState() === "own";
    this.#keeper = Deno.build.os === "windows"
      ? undefined
      : standBy(KEEPER, directory, this.#hasProc ? "proc" : "", root);
    this.#words = this.#keeper?.stdin.getWriter();
    // An orphan becomes a child of this process, and is found among its children.
    if (this.#hasProc && kernel?.call("prctl", PR_SET_CHILD_SUBREAPER, 1) === 0) {
      this.#children = childrenFile();
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
    if (this.#tellNow("made")) return;
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
   * ended, also ends the processes that have left their group, by `endAll` or one by one.
   */
  async endProgram(group: number, endAll = () => false): Promise<void> {
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

  /**
   * Writes the first word to the keeper's input by its path, and returns whether that worked. The
   * runtime's own stream takes a turn of the event loop, which is a millisecond of a cold call.
   */
  #tellNow(word: string): boolean {
    try {
      if (!this.#hasProc || this.#keeper === undefined) return false;
      using input = Deno.openSync(`/proc/${this.#keeper.pid}/fd/0`, { write: true });
      input.writeSync(new TextEncoder().encode(`${word}\n`));
      return true;
    } catch {
      return false;
    }
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
   * Reaps the ended children that this process inherited: until then their group seems to exist.
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

/** The kernel's list of this process's children. An open one stays readable in every sandbox. */
function childrenFile(): Deno.FsFile | undefined {
  try {
    return Deno.openSync(`/proc/${Deno.pid}/task/${Deno.pid}/children`);
  } catch {
    return undefined;
  }
}

/**
 * Starts a shell beside this process that runs `script` with `args` as `$1` and on. It ignores
 * signals to this process and gets nothing of its environment. It lives as long as the script does.
 * The end of its input shows that this process has ended.
 */
export function standBy(script: string, ...args: string[]): Deno.ChildProcess {
  const shell = new Deno.Command("/bin/sh", {
    args: ["-c", `trap '' HUP INT TERM\n${script}`, "toolcall-keeper", ...args],
    cwd: "/",
    clearEnv: true,
    // The part of PATH that only the system's administrator can write.
    env: { PATH: "/usr/bin:/bin" },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
    detached: true,
  }).spawn();
  shell.unref();
  return shell;
}

/** Blocks this thread until the keeper has made a file. Throws `unavailable`. */
function awaitFile(path: string): void {
  const turn = new Int32Array(new SharedArrayBuffer(4));
  for (const end = Date.now() + BEGIN_MS; !isThere(path);) {
    if (Date.now() > end) {
      const why = "the process that ends what a call starts does not answer";
      throw new CallError("unavailable", `Cannot start programs: ${why}; try again`);
    }
    Atomics.wait(turn, 0, 0, 1);
  }
}
