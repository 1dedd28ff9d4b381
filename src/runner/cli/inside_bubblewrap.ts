import { CallError } from "../../base/errors.ts";
import type { CallOptions } from "../call/call.ts";
import { delay } from "@std/async/delay";
import { bubblewrapArguments, findBubblewrap } from "../sandbox/linux/bubblewrap.ts";
import { callersEnvironment } from "../sandbox/executors/environment.ts";
import { ownCommand } from "../sandbox/executors/own_process.ts";
import { stateDirectory } from "../state/state_directory.ts";
import type { CommandLine, Process } from "./command.ts";
import { ownEnvironment } from "../own_environment.ts";

/** The most time to remove the temporary directory, in milliseconds. */
const MAX_REMOVAL_MS = 1_000;

/**
 * Runs the same command line again inside bubblewrap, without `--wall`, and returns its exit code.
 * The other sandbox layers apply inside as usual. Throws `unavailable` if bubblewrap does not work.
 */
export async function runInsideBubblewrap(
  line: CommandLine,
  process: Process,
  options: CallOptions,
): Promise<number> {
  if (!process.program.isBundled) {
    throw new CallError("unavailable", "Cannot use --wall=bwrap: it needs the built executable");
  }
  const { grants, audit } = options;
  const bwrap = await findBubblewrap(grants);
  const temporary = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolcall-" }));
  const command = [...ownCommand(process.program), ...withoutWallFlag(process.args)];
  const own = [temporary, ...makeStateDirectory(line.options.get("state-dir"))];
  if (audit !== undefined) {
    // Nothing can create the log inside the mounts, so create it before.
    (await import("../audit/audit.ts")).tryLog(options);
    own.push(audit);
  }
  const child = new Deno.Command(bwrap, {
    args: bubblewrapArguments({ grants, writable: own, command }),
    clearEnv: true,
    env: {
      ...{ ...callersEnvironment(), ...options.telemetry?.variables, TMPDIR: temporary },
      ...ownEnvironment({ wall: "bwrap" }),
    },
    // The child gets no signals of this process's group: this process forwards them.
    detached: true,
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, () => forward(child.pid, signal));
  }
  const { code } = await child.status;
  await removeEmpty(temporary);
  return code;
}

/** Signals bubblewrap's child, so that it can end by itself. Bubblewrap's own end would kill it. */
function forward(bwrap: number, signal: Deno.Signal): void {
  try {
    const children = Deno.readTextFileSync(`/proc/${bwrap}/task/${bwrap}/children`).trim();
    Deno.kill(children === "" ? bwrap : Number(children.split(" ")[0]), signal);
  } catch { /* it has ended */ }
}

/** Creates the state directory, because only existing ones stay writable; `[]` if that fails. */
function makeStateDirectory(given: string | undefined): string[] {
  try {
    const directory = stateDirectory(given);
    Deno.mkdirSync(directory, { recursive: true, mode: 0o700 });
    return [Deno.realPathSync(directory)];
  } catch {
    return [];
  }
}

/** Returns the arguments without `--wall` and its value. */
function withoutWallFlag(args: readonly string[]): string[] {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  return args.filter((arg, at) =>
    at >= end || !(arg === "--wall" || arg.startsWith("--wall=") || args[at - 1] === "--wall")
  );
}

/** Removes the directory when it is empty. It stays if it holds a kept output file. */
async function removeEmpty(directory: string): Promise<void> {
  for (const end = Date.now() + MAX_REMOVAL_MS; Date.now() < end; await delay(10)) {
    try {
      return Deno.removeSync(directory);
    } catch { /* something in it has not ended yet */ }
  }
}
