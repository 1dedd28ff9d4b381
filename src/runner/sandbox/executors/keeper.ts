/** The keeper: a shell that ends and removes what a call leaves behind, however the call ends. */

import type { NativePrograms } from "../linux/native_programs.ts";
import { startFailure } from "./start_failure.ts";

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
export const KEEPER = `own() { cd -P -- "$1" && [ "$PWD" = "$1" ]; }
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
  files=$(grep -lszF -- "TMPDIR=$folder/tmp" /proc/[0-9]*/environ)
  [ "$files" ] || break
  for file in $files; do file=\${file#/proc/}; kill -s KILL "\${file%/*}"; done
done
others='held output.txt'
[ ! "$keep" ] || others=held
rm -rf tmp $others || { chmod u+rwx /proc/self/fd/3; rm -rf tmp $others; } ||
  { find tmp -type d -exec chmod u+rwx {} ';'; rm -rf tmp $others; }
[ "$keep" ] || { cd / && exec rmdir -- "$folder"; }`;

/** A shell beside this process. */
export interface Keeper {
  /** The number of its process. */
  readonly pid: number;
  /** Writes a text to its input, after the texts before. A shell that has ended takes none. */
  tell(text: string): Promise<void>;
  /** The stream of its output. It is called once, and the caller cancels the stream. */
  output(): ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Ends its input, and closes its output if nobody has taken that. */
  close(): Promise<void>;
}

/**
 * Starts a shell beside this process that runs `script` with `args` as `$1` and on. It ignores
 * signals to this process and gets nothing of its environment. It lives as long as the script does.
 * The end of its input shows that this process has ended. `native` starts it, if that is possible.
 */
export function standBy(script: string, args: readonly string[], native?: NativePrograms): Keeper {
  const command = ["-c", `trap '' HUP INT TERM\n${script}`, "toolcall-keeper", ...args];
  // The part of PATH that only the system's administrator can write.
  const env = { PATH: "/usr/bin:/bin" };
  return (native && startedNatively(native, command, env)) ?? startedByRuntime(command, env);
}

const SHELL = "/bin/sh";
const encoder = new TextEncoder();

function startedNatively(
  native: NativePrograms,
  args: readonly string[],
  env: Record<string, string>,
): Keeper | undefined {
  try {
    const { pid, input, output } = native.startBeside([SHELL, ...args], env);
    let isTaken = false;
    return {
      pid,
      // The stream of a file takes a turn of the event loop, which is a millisecond of a cold call.
      tell: (text) => {
        try {
          input.writeSync(encoder.encode(text));
        } catch { /* It has ended. */ }
        return Promise.resolve();
      },
      output() {
        isTaken = true;
        return output.readable;
      },
      close() {
        input.close();
        if (!isTaken) output.close();
        return Promise.resolve();
      },
    };
  } catch {
    // The runtime tells why, if it cannot start it either.
    return undefined;
  }
}

function startedByRuntime(args: readonly string[], env: Record<string, string>): Keeper {
  const shell = spawnShell(args, env);
  shell.unref();
  const words = shell.stdin.getWriter();
  let sent = Promise.resolve();
  let isTaken = false;
  return {
    pid: shell.pid,
    tell: (text) => sent = sent.then(() => words.write(encoder.encode(text))).catch(() => {}),
    output() {
      isTaken = true;
      return shell.stdout;
    },
    async close() {
      await words.close().catch(() => {});
      if (!isTaken) await shell.stdout.cancel();
    },
  };
}

/** Starts a shell through the runtime. Throws `unavailable`. */
function spawnShell(args: readonly string[], env: Record<string, string>) {
  const streams = { stdin: "piped", stdout: "piped", stderr: "null" } as const;
  const options = { args: [...args], cwd: "/", clearEnv: true, env, detached: true };
  try {
    return new Deno.Command(SHELL, { ...options, ...streams }).spawn();
  } catch (error) {
    throw startFailure(SHELL, error);
  }
}
