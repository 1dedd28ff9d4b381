import { CallError } from "../../../base/errors.ts";
import type { CallOptions } from "../../call/call.ts";
import { answerProgramJobs, jobFailure } from "../../sandbox/executors/program_jobs.ts";
import { planConfinement } from "../../sandbox/plan.ts";
import type { Command } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { writeAll } from "../streams.ts";

/**
 * `toolcall run-programs`: a process that a server keeps for calls that start programs. It is not
 * meant for people.
 */
export const runProgramsCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 0);
  let printed: Promise<void> = Promise.resolve();
  const print = (text: string) => printed = printed.then(() => writeAll(process.stdout, text));
  let options: CallOptions;
  try {
    options = await process.callOptions(line);
  } catch (error) {
    // Such as for a path of the flags that has become a link.
    if (!(error instanceof CallError)) throw error;
    await print(`${JSON.stringify(jobFailure(error))}\n`);
    return 0;
  }
  const { grants, unconfinedRun, program, listeners } = options;
  const plan = planConfinement({ permissionKinds: ["run"] }, {
    ...{ grants, unconfinedRun, isBundled: program.isBundled },
    ...{ mode: "one_call", needsHost: false, hasLandlock: true },
  });
  await answerProgramJobs({
    ...options,
    sandboxed: plan.executor === "programs" && plan.sandboxed,
    stdin: process.stdin,
    print,
    signal: listeners.cancelSignal(),
  });
  return 0;
};
