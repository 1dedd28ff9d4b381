import { dirname, join } from "node:path";
import { version } from "../src/base/version.ts";

/** The input and the output of a compilation. */
export interface CompileOptions {
  /** The directory of the bundle; all of its files go in. */
  directory: string;
  /** The file to write; it appears at once and whole, or not at all. */
  output: string;
  /** The platform that it is for, as `deno compile --target` names it; default: this one. */
  target?: string | undefined;
}

/** The time limit for an answer of the server that has the runtime, in milliseconds. */
const PROBE_MS = 3_000;

/**
 * Writes an executable with `deno compile`. This needs a runtime for compiled programs: from the
 * cache, from `DENORT_BIN`, or from a download.
 *
 * @throws {Error} when there is no such runtime (within seconds when the
 *   download's server cannot be reached), or the executable does not work.
 */
export async function writeCompiled({ directory, output, target }: CompileOptions): Promise<void> {
  const included = [...Deno.readDirSync(directory)].map((entry) => entry.name)
    .filter((name) => name !== "main.js").toSorted();
  // The directory is beside the output, so that the file can be renamed. A killed compiler leaves
  // files in it.
  const work = await Deno.makeTempDir({ dir: dirname(output), prefix: ".compile-" });
  const program = join(work, "toolcall.exe");
  const args = [
    "compile",
    "--allow-all",
    "--no-prompt",
    "--no-check",
    "--no-config",
    "--no-lock",
    "--no-remote",
    "--no-npm",
    "--unstable-worker-options",
    "--unstable-no-legacy-abort",
    ...included.flatMap((name) => ["--include", name]),
    ...(target === undefined ? [] : ["--target", target]),
    "--output",
    program,
    "main.js",
  ];
  try {
    await compile(args, directory);
    if (target === undefined || target === Deno.build.target) await tryOut(program);
    await Deno.rename(program, output);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

/** Runs `deno compile`, but ends it when the download's server does not answer. */
async function compile(args: string[], cwd: string): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args,
    cwd,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let printed = "";
  let probe: Promise<void> | undefined;
  let unreachable: string | undefined;
  for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
    printed += text;
    const url = printed.match(/^Download (https:\/\/\S+)\n/m)?.[1];
    if (url !== undefined && probe === undefined) {
      probe = fetch(url, { method: "HEAD", signal: AbortSignal.timeout(PROBE_MS) }).then(
        (response) => response.body?.cancel(),
        () => {
          unreachable = `its runtime cannot be downloaded from ${url}`;
          child.kill("SIGKILL");
        },
      );
    }
  }
  const { code } = await child.status;
  await probe;
  if (code === 0) return;
  const cause = unreachable ?? printed.match(/^error: [^]*?(?=\n\nStack|$)/m)?.[0] ??
    printed.trim();
  throw new Error(
    `Cannot compile: ${cause}; connect to the network, or name a runtime for compiled ` +
      `programs ("denort" of Deno ${Deno.version.deno}) in DENORT_BIN`,
  );
}

/** Starts the program, because `deno compile` with a wrong runtime writes a plain `deno`. */
async function tryOut(program: string): Promise<void> {
  const { stdout } = await new Deno.Command(program, {
    args: ["--version"],
    stdin: "null",
    stderr: "null",
  }).output();
  const answer = new TextDecoder().decode(stdout).trim();
  if (answer === `toolcall ${version}`) return;
  throw new Error(
    `Cannot compile: the executable answers "${answer.split("\n")[0]}" to --version; ` +
      `DENORT_BIN has to name the runtime for compiled programs ("denort"), not "deno" itself`,
  );
}
