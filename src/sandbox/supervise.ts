/** Sees to it that what a call starts ends with the call, however the call ends. */

import { pause } from "../pause.ts";
import type { Kernel } from "./kernel.ts";
import { signalProcess } from "./process.ts";
import { standBy } from "./spawn.ts";

/** How long programs may take to end after TERM, and then after KILL, in milliseconds. */
const [TERM_MS, KILL_MS] = [500, 1_000];
/** How many looks in a row have to find no new child after one that did. */
const QUIET_ROUNDS = 3;
const PR_SET_CHILD_SUBREAPER = 36;

/**
 * A shell beside the walls, which outlives this process by a moment. It is told
 * the groups that were started, "end" when all of them have ended and "keep" when
 * the output file is to stay. When its input ends, whether this process closes it
 * or is killed, it ends what is left: the groups, and what has the TMPDIR of this
 * call, of which it may not have been told. Then it removes the private folder, from
 * inside: another could stand in its place by now.
 */
const KEEPER = `cd -P -- "\${1:-/}" || exit
groups= keep= ended= left=50
while read -r word; do
  case $word in
    end) groups= ended=yes ;;
    keep) keep=yes ;;
    *) groups="$groups $word" ended= ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
[ "$1" ] || exit
while [ ! "$ended" ] && [ "$((left -= 1))" -gt 0 ]; do
  set -- "$1" $(grep -lszFx -- "TMPDIR=$1/tmp" /proc/[0-9]*/environ)
  [ "$#" -gt 1 ] || break
  path=$1
  shift
  for file; do file=\${file#/proc/}; kill -s KILL "\${file%/*}"; done
  set -- "$path"
done
rm -rf tmp || { chmod -R u+rwx tmp; rm -rf tmp; }
[ "$keep" ] || { rm -f output.txt && cd / && exec rmdir -- "$1"; }`;

/** Keeps account of the programs of one call. */
export class Supervisor {
  #keeper: Deno.ChildProcess | undefined;
  #words: WritableStreamDefaultWriter<Uint8Array> | undefined;
  #told: Promise<void> = Promise.resolve();
  #children: Deno.FsFile | undefined;
  #groups = new Set<number>();

  /**
   * Has to be made before the walls are entered. `folder` is the call's private
   * folder, if it has one.
   */
  constructor(kernel: Kernel | undefined, folder: string | undefined) {
    this.#keeper = Deno.build.os === "windows" ? undefined : standBy(KEEPER, folder ?? "");
    this.#words = this.#keeper?.stdin.getWriter();
    // What loses its parent becomes a child of this process, and is found among its children.
    if (kernel?.call("prctl", PR_SET_CHILD_SUBREAPER, 1) === 0) {
      this.#children = childrenFile();
    }
  }

  /** The process that stands beside the walls. */
  get keeper(): number | undefined {
    return this.#keeper?.pid;
  }

  /** Takes note of a program that was started as the leader of its group. */
  started(group: number): void {
    this.#groups.add(group);
    this.#tell(String(group));
  }

  /** Lets the output file in the private folder stay. */
  keepOutput(): void {
    this.#tell("keep");
  }

  /**
   * Ends a program's group, TERM first and KILL half a second later, and once no
   * program is left also what has left its group: by `endAll`, or one by one.
   */
  async end(group: number, endAll = () => false): Promise<void> {
    if (!this.#groups.delete(group)) return;
    await endGroup(group);
    if (this.#groups.size > 0) return;
    if (!endAll()) await this.#endSurvivors();
    this.#tell("end");
    await this.#told;
    await this.#words?.close().catch(() => {});
    this.#children?.close();
    this.#children = undefined;
  }

  #tell(word: string): void {
    const bytes = new TextEncoder().encode(`${word}\n`);
    this.#told = this.#told.then(() => this.#words?.write(bytes)).catch(() => {});
  }

  /** A process that is killed leaves its children to this one: so again until there are no new ones. */
  async #endSurvivors(): Promise<void> {
    const seen = new Set([this.#keeper?.pid]);
    let quiet = QUIET_ROUNDS;
    for (const end = Date.now() + KILL_MS; Date.now() < end; await pause(5)) {
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

/** The kernel's list of this process's children; it stays readable behind every wall once it is open. */
function childrenFile(): Deno.FsFile | undefined {
  try {
    return Deno.openSync(`/proc/${Deno.pid}/task/${Deno.pid}/children`);
  } catch {
    return undefined;
  }
}

/** TERM for the group, KILL for what is left of it half a second later. */
export async function endGroup(group: number): Promise<void> {
  if (!signalProcess(-group, "SIGTERM")) return;
  for (const end = Date.now() + TERM_MS; Date.now() < end;) {
    await pause(20);
    if (!signalProcess(-group, 0)) return;
  }
  signalProcess(-group, "SIGKILL");
}
