import type { CallOptions } from "../../call/call.ts";
import { planConfinement } from "../../sandbox/plan.ts";
import { serveShell } from "../../shell/shell_host.ts";
import type { Command } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { writeAll } from "../streams.ts";

/**
 * `toolcall run-shell`: the process of a session's shell, which its keeper starts. It is not meant
 * for people.
 */
export const runShellCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 0);
  let printed: Promise<void> = Promise.resolve();
  const print = (text: string) => printed = printed.then(() => writeAll(process.stdout, text));
  const options: CallOptions = await process.callOptions(line);
  const { grants, unconfinedRun, program, listeners } = options;
  const plan = planConfinement({ permissionKinds: ["run"] }, {
    ...{ grants, unconfinedRun, isBundled: program.isBundled },
    ...{ mode: "one_call", needsHost: false, hasLandlock: true },
  });
  const code = await serveShell({
    ...options,
    sandboxed: plan.executor === "programs" && plan.sandboxed,
    stdin: process.stdin,
    print,
    signal: listeners.cancelSignal(),
  });
  await printed;
  return code;
};
