import { CallError } from "../../../base/errors.ts";
import { isThere } from "../policy/paths.ts";

/** The most time that the keeper may take to begin, in milliseconds. */
const BEGIN_MS = 10_000;

/**
 * The script of a shell outside the sandbox, which outlives toolcall by a moment. Its arguments are
 * the path of the private folder, "proc" where /proc is this namespace's, and the directory of such
 * folders; each may be empty. It reads lines from its input:
 *
 * - `made`: the private folder is there. The script stays in it, as another folder could take its
 *   place, and says so by a new file `held`. Before that, a program of another call can replace the
 *   folder if it may write the directory of such folders. Then the script touches nothing in it.
 * - a number: a process group that was started.
 * - `name` and numbers: the script answers with the command line of each, in a line. A process that
 *   is being replaced by another program has none for a moment, and is named by the program before.
 * - `end`: all groups have ended.
 * - `keep`, `drop`: the file of the output has to stay, or not.
 *
 * When its input ends, because toolcall closes it or is killed, the script ends the groups that are
 * left. It also ends processes with the TMPDIR of this call that it was not told of. Then it
 * removes the private folder through a descriptor, because the call may have shut the folder by its
 * mode. When an output stays, outputs that are a day old go.
 */
export const keeperScript = `own() { cd -P -- "$1" && [ "$PWD" = "$1" ]; }
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

/** Blocks this thread until the keeper has made a file. Throws `unavailable`. */
export function awaitFile(path: string): void {
  const turn = new Int32Array(new SharedArrayBuffer(4));
  for (const end = Date.now() + BEGIN_MS; !isThere(path);) {
    if (Date.now() > end) {
      const why = "the process that ends what a call starts does not answer";
      throw new CallError("unavailable", `Cannot start programs: ${why}; try again`);
    }
    Atomics.wait(turn, 0, 0, 1);
  }
}
