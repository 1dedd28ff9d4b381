/** Helpers: programs that ship with this one, which tools start as a part of themselves. */

import { join } from "@std/path/posix/join";
import { nextTurn } from "../../../base/async/next_turn.ts";
import type { HelperPiece, HelperProcess } from "../../registry/tool_context.ts";
import type { Program } from "../../program.ts";
import { type Kernel, randomWords } from "../linux/kernel.ts";
import { type NativeChild, startNative } from "../linux/native_child.ts";
import { NativeStarter } from "../linux/native_starter.ts";
import { enterSystemCallFilter, systemCallFilter } from "../linux/seccomp.ts";
import { realPathIfAny } from "../policy/paths.ts";
import { startFailure } from "./start_failure.ts";

/** How long a thread waits for a helper before it looks at its other work, in milliseconds. */
const TURN_MS = 50;

/** The time of silence after which an empty piece comes, in milliseconds. */
const SILENCE_MS = 250;

/** The share of a processor below which a helper is idle: a waiting thread looks around often. */
const IDLE_SHARE = 0.1;

/** The options of a start. */
interface StartOptions {
  /** The working directory. */
  cwd: string;
  /** The signal of the call, which kills the helper. */
  signal: AbortSignal;
}

/** A program that ships with this one, for the thread that opens it. */
export class Helper {
  #native: NativeStarter | undefined;

  /** Takes the real path of its file. */
  constructor(readonly path: string) {}

  /** Prepares it. A thread does this before it gives up the permission for native code. */
  open(): void {
    this.#native ??= NativeStarter.open();
  }

  /**
   * Sets the filter of system calls for this thread and for the helpers that it starts, for good:
   * no socket, no memory and no signal of another process. Throws `unavailable`.
   */
  confine(kernel: Kernel): void {
    const key = randomWords(kernel, 3);
    enterSystemCallFilter(
      kernel,
      systemCallFilter({
        network: "none",
        own: { pid: Deno.pid, group: kernel.call("getpgid", 0) },
        restrictsTruncate: false,
        key,
      }),
    );
    if (this.#native !== undefined) this.#native.key = key;
  }

  /** Starts it without an environment. Throws `unavailable`. */
  start(args: readonly string[], options: StartOptions): HelperProcess {
    options.signal.throwIfAborted();
    try {
      const command = [this.path, ...args];
      if (this.#native === undefined) return startByRuntime(command, options);
      return nativeProcess(startNative(this.#native, command, options.cwd), options.signal);
    } catch (error) {
      throw startFailure(this.path, error);
    }
  }
}

/**
 * Finds a helper: in the directory of this program, or, when it runs from its sources, in the
 * package that the build takes it from. Never in PATH. Returns `undefined` if it is missing. Throws
 * `unavailable` if a compiled executable cannot extract it.
 */
export async function findHelper(name: "rg", program: Program): Promise<Helper | undefined> {
  const path = program.isBundled ? join(program.directory, name) : await packagePath();
  const real = path === undefined ? undefined : realPathIfAny(path);
  if (real === undefined) return undefined;
  if (!Deno.build.standalone) return new Helper(real);
  const { extractedHelper } = await import("./extract_helper.ts");
  return new Helper(await extractedHelper(name, program.directory));
}

async function packagePath(): Promise<string | undefined> {
  // The bundle does not load the package, so its name is no literal.
  const name = "@vscode/ripgrep";
  try {
    return (await import(name)).rgPath;
  } catch {
    return undefined;
  }
}

function nativeProcess(child: NativeChild, signal: AbortSignal): HelperProcess {
  let [used, asked] = [0n, performance.now()];
  return {
    pid: child.pid,
    pieces: nativePieces(child, signal),
    status: () => child.status(),
    isIdle() {
      const [before, since] = [used, asked];
      [used, asked] = [child.processorTime(), performance.now()];
      return Number(used - before) < (asked - since) * 1e6 * IDLE_SHARE;
    },
  };
}

/**
 * Takes the pieces without an event for each. A helper that ends within the first turn costs the
 * call neither a timer nor a handler of signals.
 */
async function* nativePieces(child: NativeChild, signal: AbortSignal): AsyncGenerator<HelperPiece> {
  try {
    let turnEnd = performance.now() + TURN_MS;
    let spoke = performance.now();
    while (!child.hasEnded) {
      const piece = child.read(Math.max(0, turnEnd - performance.now()));
      if (piece !== undefined) yield piece;
      const now = performance.now();
      if (piece !== undefined) spoke = now;
      if (now < turnEnd) continue;
      if (now - spoke > SILENCE_MS) {
        yield { bytes: new Uint8Array(), isMessage: false };
        spoke = now;
      }
      await nextTurn();
      signal.throwIfAborted();
      turnEnd = performance.now() + TURN_MS;
    }
    child.status();
  } finally {
    child.close();
  }
}

/** Starts a helper where the C library cannot: through the runtime. */
function startByRuntime(
  [path = "", ...args]: readonly string[],
  { cwd, signal }: StartOptions,
): HelperProcess {
  const child = new Deno.Command(path, {
    ...{ args, cwd, clearEnv: true, stdin: "null", stdout: "piped", stderr: "piped" },
  }).spawn();
  let status: Deno.CommandStatus | undefined;
  async function* pieces(): AsyncGenerator<HelperPiece> {
    const kill = () => {
      try {
        if (status === undefined) child.kill("SIGKILL");
      } catch { /* It has ended. */ }
    };
    signal.addEventListener("abort", kill, { once: true });
    try {
      const messages = new Response(child.stderr).bytes();
      for await (const bytes of child.stdout) {
        yield { bytes: bytes as Uint8Array<ArrayBuffer>, isMessage: false };
      }
      yield { bytes: await messages as Uint8Array<ArrayBuffer>, isMessage: true };
      status = await child.status;
      signal.throwIfAborted();
    } finally {
      signal.removeEventListener("abort", kill);
      kill();
    }
  }
  return {
    pid: child.pid,
    pieces: pieces(),
    status: () => ({ code: status?.code ?? 0, signal: null }),
    isIdle: () => false,
  };
}
