import { join } from "node:path";
import { type SelfExtractingOptions, writeSelfExtracting } from "../../scripts/self_extracting.ts";

/** The result of a program that has ended. */
export interface Ended {
  code: number;
  signal: Deno.Signal | null;
  stdout: Uint8Array;
  /** The output as text. */
  text: string;
  stderr: string;
}

/** The options of a program: its whole environment, its working directory and its input. */
export interface StartOptions {
  env?: Record<string, string>;
  cwd?: string;
  stdin?: Uint8Array<ArrayBuffer>;
}

/**
 * A replacement of deno in a small payload. The first argument of the program selects its behavior.
 * Each unpacking starts it once with `--version`.
 */
const PROGRAM = `#!/bin/sh
if [ "$1" = --version ]; then
  [ ! "\${COUNT-}" ] || echo once >>"$COUNT"
  exit
fi
until case $1 in */main.js) true ;; *) false ;; esac do shift; done
what=\${2-}
shift 2
case $what in
  args) for arg; do printf '<%s>' "$arg"; done ;;
  cat) cat; echo heard >&2; exit 7 ;;
  env) env ;;
  pid) echo "$$" ;;
  umask) umask; pwd ;;
  fds) ls /proc/$$/fd ;;
  term) trap 'echo caught; exit 42' TERM; echo ready; while :; do sleep 0.02; done ;;
esac
`;

/**
 * Writes a self-extracting executable with the replacement and `ballast` bytes that do not compress.
 * `runtime` is added at the end of the replacement.
 */
export async function writeStandIn(
  output: string,
  { ballast = 1000, runtime = "", ...options }:
    & Omit<SelfExtractingOptions, "directory" | "output">
    & { ballast?: number | undefined; runtime?: string },
): Promise<void> {
  const directory = await Deno.makeTempDir();
  await Deno.writeTextFile(join(directory, "deno"), PROGRAM + runtime, { mode: 0o755 });
  await Deno.writeTextFile(join(directory, "main.js"), "// the stand-in does not read this\n");
  for (let i = 10; i < 30; i++) await Deno.writeTextFile(join(directory, `chunk-${i}.js`), `${i}`);
  const noise = new Uint8Array(ballast);
  for (let at = 0; at < ballast; at += 65536) {
    crypto.getRandomValues(noise.subarray(at, Math.min(at + 65536, ballast)));
  }
  await Deno.writeFile(join(directory, "ballast"), noise);
  await writeSelfExtracting({ directory, output, ...options });
  await Deno.remove(directory, { recursive: true });
}

/**
 * The command that starts a self-extracting executable with another shell than the system's. A
 * native head gives the shell its script as an argument.
 */
export async function startWith(shell: readonly string[], program: string): Promise<string[]> {
  using file = await Deno.open(program);
  const bytes = new Uint8Array(65_536);
  await file.read(bytes);
  const text = new TextDecoder().decode(bytes);
  if (text.startsWith("#!")) return [...shell, program];
  const [script] = /#!\/bin\/sh\n[^\0]*/.exec(text)!;
  return [...shell, "-c", script, program];
}

/** Runs a program to its end, with only the given environment. */
export async function run(
  command: string[],
  { env = {}, cwd, stdin }: StartOptions = {},
): Promise<Ended> {
  const child = new Deno.Command(command[0] ?? "", {
    args: command.slice(1),
    clearEnv: true,
    env,
    ...(cwd === undefined ? {} : { cwd }),
    stdin: stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const [{ code, signal, stdout, stderr }] = await Promise.all([
    child.output(),
    stdin && new Blob([stdin]).stream().pipeTo(child.stdin).catch(ignoreClosed),
  ]);
  const decoder = new TextDecoder();
  return { code, signal, stdout, text: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Ignores that a program has not read all its input. */
function ignoreClosed(error: unknown) {
  if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
}
