import { formatDuration } from "../../base/duration.ts";
import { birthOf } from "../sandbox/executors/process.ts";
import { State } from "../state/state.ts";
import { type KeepOrder, slotOf } from "../mcp/kept/keep_order.ts";
import type { ServerKeeper } from "../mcp/kept/server_keeper.ts";
import { hasTooMany, MAX_LEFT } from "./new_processes.ts";
import { SHELL_EXIT } from "./shell_messages.ts";

/** The time that the reason of an end is stored, in milliseconds: a week. */
const RETENTION_MS = 7 * 24 * 3_600_000;
/** The interval between two looks at the number of processes, in milliseconds. */
const WATCH_MS = 1_000;
const TOO_MANY = `: it had more than ${MAX_LEFT} processes`;
const UNEXPECTED = "its process ended unexpectedly";
const ABANDONED = "the call of its last command was killed, and the command did not end by itself";

/** The shell of a session as a background task. */
export interface ShellTask {
  /** Why the shell that ran before has ended, if the calls do not know it. */
  before: string | undefined;
  /** Records the end, for the reason that the keeper gives. */
  end(reason: string): void;
}

/** The calls that share a shell, as the order has them in `source`. */
export interface ShellOwner {
  /** The session of the calls. */
  session: string;
  /** The working directory in which it starts. */
  root: string;
}

/**
 * Ends the shell if it has too many processes while no call uses it: a command may have left some
 * that multiply. A call whose command leaves too many ends the shell itself, and says so. So the first
 * look alone does not end it.
 */
export function watchShell(keeper: ServerKeeper): void {
  let hadTooMany = false;
  const timer = setInterval(() => {
    const { idlePid } = keeper;
    const hasNow = idlePid !== null && hasTooMany(idlePid);
    if (hasNow && hadTooMany) void keeper.end(TOO_MANY);
    hadTooMany = hasNow;
  }, WATCH_MS);
  void keeper.ended.then(() => clearInterval(timer));
}

/** Records a shell that has started as a task of this process. Throws `unavailable`. */
export async function recordShell(order: KeepOrder): Promise<ShellTask> {
  const { session, root } = JSON.parse(order.source) as ShellOwner;
  const owner = { space: "shell", session: await slotOf(order) };
  const id = `task_${crypto.randomUUID().replaceAll("-", "").slice(0, 20)}`;
  const withState = <T>(use: (state: State) => T): T => {
    const state = new State(order.stateDir, session);
    try {
      return use(state);
    } finally {
      state.close();
    }
  };
  const note = ({ values }: State, value: string | undefined) =>
    values.set(owner, "end", { value, ttlMs: RETENTION_MS });
  const before = withState((state) => {
    state.tasks.add({
      ...{ id, tool: "Bash", title: `shell of the session ${order.server}`, session },
      ...{ folder: root, pid: Deno.pid, born: birthOf(Deno.pid) ?? "" },
    });
    return note(state, UNEXPECTED);
  });
  return {
    before: typeof before === "string" ? before : undefined,
    end(reason) {
      const { status, text, isKnown } = endOf(reason, order.keepMs);
      try {
        withState((state) => {
          state.tasks.end(id, { status, text: `The shell has ended: ${text}` });
          note(state, isKnown ? undefined : text);
        });
      } catch { /* The next shell then says that this one ended unexpectedly. */ }
    },
  };
}

/** The end of a shell in words, and whether a call has got them already. */
function endOf(reason: string, keepMs: number) {
  if (reason === ": it was not used") {
    const text = `it was not used for ${formatDuration(keepMs)}`;
    return { status: "completed", text, isKnown: false } as const;
  }
  if (reason === TOO_MANY) {
    return { status: "stopped", text: TOO_MANY.slice(2), isKnown: false } as const;
  }
  if (reason === ": a signal ended its keeper") {
    return { status: "stopped", text: "it was stopped", isKnown: false } as const;
  }
  if (reason === ": a call ended it") {
    return { status: "stopped", text: "a call ended it", isKnown: true } as const;
  }
  if (reason.startsWith(` (exit code ${SHELL_EXIT.abandoned})`)) {
    return { status: "stopped", text: ABANDONED, isKnown: false } as const;
  }
  const isKnown = reason.startsWith(` (exit code ${SHELL_EXIT.known})`);
  return {
    status: "completed",
    text: isKnown ? "a command ended it" : UNEXPECTED,
    isKnown,
  } as const;
}
