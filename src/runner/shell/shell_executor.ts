import { CallError } from "../../base/errors.ts";
import type { CallOptions } from "../call/call.ts";
import { flagsText, type KeepOptions, slotOf } from "../mcp/kept/keep_order.ts";
import { KeptDirectory } from "../mcp/kept/kept_directory.ts";
import { stopKeeper } from "../mcp/kept/kept_servers.ts";
import { ownVariable } from "../own_environment.ts";
import type { RegisteredTool } from "../registry/registered_tool.ts";
import type { Shell, ShellReport, ToolContext } from "../registry/tool_context.ts";
import { helperContext } from "../sandbox/executors/context.ts";
import { callersEnvironment } from "../sandbox/executors/environment.ts";
import type { Executor } from "../sandbox/executors/executor.ts";
import { ownCommand } from "../sandbox/executors/own_process.ts";
import { runWithNotes } from "../sandbox/executors/programs.ts";
import { landlockVersionHere } from "../sandbox/describe_confinement.ts";
import { networkFor } from "../sandbox/policy/program_rights.ts";
import type { Plan } from "../sandbox/plan.ts";
import { stateDirectory } from "../state/state_directory.ts";
import { ShellCommandRun } from "./shell_command_run.ts";
import type { ShellOwner } from "./shell_task.ts";

/** The default time that a shell runs without a call, in milliseconds. */
const IDLE_MS = 10 * 60_000;

/** Runs calls whose command another process executes, in a shell that stays between calls. */
export function shellExecutor(
  tool: RegisteredTool,
  options: CallOptions & { inside: Plan },
): Executor {
  const { inside, grants } = options;
  const isSandboxed = inside.executor === "programs" && inside.sandboxed;
  return {
    async run(job, running) {
      let report: Promise<ShellReport> | undefined;
      const shell: ToolContext["shell"] = (session) => {
        const keep = keepShell(tool, session, options);
        return Promise.resolve<Shell>({
          restart: () => endShell(keep),
          start(command) {
            const run = new ShellCommandRun(keep, command, {
              signal: running.signal,
              endShell: () => endShell(keep),
            });
            report = run.report;
            return run;
          },
        });
      };
      const context = {
        ...helperContext(job, running, { helper: undefined, landlock: false }),
        ...{ isSandboxed, shell },
      };
      const plan = isSandboxed ? networkFor(grants, landlockVersionHere()) : undefined;
      const output = await runWithNotes(tool, context, {
        ...{ job, plan, supervisor: { survivors: [] }, mayStay: false },
      });
      if (report === undefined) return output;
      const { content, ...rest } = typeof output === "string" || Array.isArray(output)
        ? { content: output }
        : output;
      return { ...rest, content, meta: { "toolcall/shell": await report } };
    },
    close() {},
  };
}

/** How the shell of a session is kept. Only calls with equal flags share it. Throws `unavailable`. */
function keepShell(
  { metadata }: RegisteredTool,
  session: string,
  options: CallOptions,
): KeepOptions {
  const { grants, cwd, flags, stateDir, limits, unconfinedRun, program } = options;
  const isInBubblewrap = ownVariable("wall") !== undefined;
  if (Deno.build.os === "windows" || isInBubblewrap) {
    const why = isInBubblewrap
      ? "with --wall everything ends with the call; omit the flag or session"
      : "this system has no such shells; omit session";
    throw new CallError("unavailable", `Cannot keep the shell of a session: ${why}`);
  }
  const [path, ...own] = ownCommand(program);
  const owner: ShellOwner = { session: options.session, root: cwd };
  const text = flagsText(grants, { root: cwd, session: options.session });
  return {
    order: {
      ...{ kind: "shell", server: session, file: "", secrets: [] },
      keepMs: options.policyOf?.(metadata.name).idleMs ?? IDLE_MS,
      source: JSON.stringify(owner),
      flags: JSON.stringify([text, unconfinedRun, Object.entries(limits).sort()]),
      program: {
        ...{ path, args: [...own, ...flags, "run-shell"] },
        ...{ cwd: Deno.cwd(), env: callersEnvironment() },
      },
      stateDir: stateDirectory(stateDir),
    },
    program,
  };
}

/** Ends a shell with all that it has started, if it runs. */
async function endShell({ order }: KeepOptions): Promise<void> {
  const directory = KeptDirectory.open(order.stateDir, { create: false });
  if (directory === undefined) return;
  const slot = await slotOf(order);
  const record = directory.read(slot);
  if (record !== undefined) await stopKeeper(directory, { slot, record });
}
