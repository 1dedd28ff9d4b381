import { CallError } from "../../base/errors.ts";
import type { CallOptions } from "../call/call.ts";
import { delay } from "@std/async/delay";
import { bubblewrapArguments, findBubblewrap } from "../sandbox/linux/bubblewrap.ts";
import { callersEnvironment } from "../sandbox/executors/environment.ts";
import { ownCommand } from "../sandbox/executors/own_process.ts";
import { stateFolder } from "../state/state_folder.ts";
import type { Process } from "./command.ts";
import type { CommandLine } from "./parse.ts";
import { ownEnvironment } from "../own_environment.ts";

/** How long what a call leaves to its end takes at most, in milliseconds. */
const TIDY_MS = 1_000;

/**
 * Runs the same command line once more inside bubblewrap, without `--wall`, and
 * returns its exit code: the other walls stand there as anywhere. Throws
 * `unavailable` when bubblewrap does not work here.
 */
export async function runInsideBubblewrap(
  line: CommandLine,
  process: Process,
  settings: CallOptions,
): Promise<number> {
  if (!process.program.isBundled) {
    throw new CallError("unavailable", "Cannot use --wall=bwrap: it needs the built executable");
  }
  const { grants, audit } = settings;
  const bwrap = await findBubblewrap(grants);
  const temporary = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolcall-" }));
  const command = [...ownCommand(process.program), ...withoutWall(process.args)];
  const own = [temporary, ...makeStateFolder(line.options.get("state-dir"))];
  if (audit !== undefined) {
    // Inside no file is made beside it: it has to be there.
    (await import("../audit/audit.ts")).tryLog(settings);
    own.push(audit);
  }
  const child = new Deno.Command(bwrap, {
    args: bubblewrapArguments({ grants, writable: own, command }),
    clearEnv: true,
    env: { ...callersEnvironment(), TMPDIR: temporary, ...ownEnvironment({ wall: "bwrap" }) },
    // A signal to this process's group is for this process: it hands it on.
    detached: true,
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, () => tell(child.pid, signal));
  }
  const { code } = await child.status;
  await removeEmpty(temporary);
  return code;
}

/** Signals what bubblewrap has started, which then ends by itself: bubblewrap ending would end it at once. */
function tell(bwrap: number, signal: Deno.Signal): void {
  try {
    const children = Deno.readTextFileSync(`/proc/${bwrap}/task/${bwrap}/children`).trim();
    Deno.kill(children === "" ? bwrap : Number(children.split(" ")[0]), signal);
  } catch { /* it has ended */ }
}

/** The folder of what outlives the call, which has to be there to stay writable; none where it cannot be made. */
function makeStateFolder(given: string | undefined): string[] {
  try {
    const folder = stateFolder(given);
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    return [Deno.realPathSync(folder)];
  } catch {
    return [];
  }
}

/** The arguments but for `--wall` and its value. */
function withoutWall(args: readonly string[]): string[] {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  return args.filter((arg, at) =>
    at >= end || !(arg === "--wall" || arg.startsWith("--wall=") || args[at - 1] === "--wall")
  );
}

/** Removes the folder once what it held is gone; a file of output that was kept keeps it. */
async function removeEmpty(folder: string): Promise<void> {
  for (const end = Date.now() + TIDY_MS; Date.now() < end;) {
    try {
      Deno.removeSync(folder);
      return;
    } catch {
      await delay(10);
    }
  }
}
