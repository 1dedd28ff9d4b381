import { CallError } from "../../base/errors.ts";
import { delay } from "@std/async/delay";
import { quote } from "../../base/text/quote.ts";
import { osErrorMessage } from "../../base/os_error_message.ts";
import { blockText } from "../../base/block_text.ts";
import type { TaskReport } from "../registry/services.ts";
import { type Print, printed } from "../sandbox/executors/prints.ts";
import { decide } from "../sandbox/policy/grants.ts";
import { birthOf, createLocked } from "../sandbox/executors/process.ts";
import { State } from "../state/state.ts";
import { stateFolder } from "../state/state_folder.ts";
import type { TaskStore } from "../state/task_store.ts";
import { executeCall } from "../call/execute.ts";
import type { CallOptions, TaskOrder, ToolCall } from "../call/call.ts";
import { type CallResult, failureOf, failureResult } from "../call/failure.ts";

/** The longest title of a task, in characters. */
const MAX_TITLE = 200;

/** How often an end that could not be recorded is tried again, and after how long. */
const [TRIES, PAUSE_MS] = [10, 1_000];

/**
 * Looks after one task to its end: records it, tells `ready`, once, what the caller is to
 * be answered, runs the call, and records its end. Throws only when that cannot be recorded:
 * the task is then found lost.
 */
export async function runTask(
  { call, timeoutMs }: TaskOrder,
  settings: CallOptions,
  ready: (result: CallResult) => Promise<void>,
): Promise<void> {
  let state: State | undefined;
  try {
    const begun = await begin(call, settings).catch((error) => failureResult(failureOf(error)));
    if (!("lock" in begun)) return await ready(begun);
    state = begun.state;
    const { tasks } = state;
    const { id, lock } = begun;
    const path = tasks.outputFile(id);
    const data = settings.structured ? taskData(call, { id, file: path }) : {};
    await ready({ ...started({ id, timeoutMs, outputFile: path }, settings), ...data });
    const output = { path, file: Deno.openSync(path, { append: true }) };
    // Nobody reads stderr: what the tool prints stands among its output.
    const onPrint = (print: Print) =>
      void output.file.writeSync(new TextEncoder().encode(`${printed(print)}\n`));
    const result = await executeCall(call, {
      ...settings,
      output,
      listeners: { ...settings.listeners, onPrint },
    });
    await recordEnd(() => tasks.end(id, { status: statusOf(result), text: textOf(result) }));
    // Only now: who finds it free takes a task that has not ended for lost.
    lock.close();
  } finally {
    state?.close();
  }
}

/** A task that is recorded. */
interface Begun {
  state: State;
  id: string;
  /** Locked for as long as this process looks after the task. */
  lock: Deno.FsFile;
}

async function begin(call: ToolCall, settings: CallOptions): Promise<Begun> {
  const title = await titleOf(call, settings);
  const state = new State(stateFolder(settings.stateDir), settings.session);
  const { id, lock } = newTask(state.tasks);
  state.tasks.add({
    ...{ id, tool: call.name, title, session: settings.session, folder: settings.cwd },
    ...{ pid: Deno.pid, born: birthOf(Deno.pid) ?? "" },
  });
  // From now on a signal does not end this process, which has to say how the task ended.
  settings.listeners.cancelSignal();
  return { state, id, lock };
}

/** An id that cannot be guessed, and the file of the output, which is this process's. */
function newTask(tasks: TaskStore): { id: string; lock: Deno.FsFile } {
  for (let tries = 0; tries < TRIES; tries++) {
    const id = `task_${crypto.randomUUID().replaceAll("-", "").slice(0, 20)}`;
    const lock = lockedFile(tasks.outputFile(id));
    if (lock !== undefined) return { id, lock };
  }
  throw new CallError("unavailable", "Cannot keep a task's output: other processes lock its files");
}

/** The folder may lie on a disk that is read-only, or full. */
function lockedFile(path: string): Deno.FsFile | undefined {
  try {
    return createLocked(path);
  } catch (error) {
    throw new CallError(
      "unavailable",
      `Cannot keep a task's output in ${quote(path, 4096)}: ${osErrorMessage(error)}; ` +
        "name another folder with --state-dir=DIR",
    );
  }
}

/** A disk that is full may not be so a moment later. */
async function recordEnd(record: () => void): Promise<void> {
  for (let tries = 1;; tries++) {
    try {
      return record();
    } catch (error) {
      if (tries === TRIES) throw error;
      await delay(PAUSE_MS);
    }
  }
}

/** The answer to a call that became a task. A file that the flags do not let be read is not named. */
function started(
  task: { id: string; timeoutMs: number; outputFile: string },
  { grants }: CallOptions,
): CallResult {
  const { id, timeoutMs, outputFile } = task;
  const isReadable = decide({ name: "read", path: outputFile }, grants).granted;
  const text =
    `Started in the background as ${id}; read it with TaskOutput, end it with TaskStop. ` +
    `Its time limit is ${timeoutMs / 1000} s.` +
    (isReadable ? ` Its output goes to ${quote(outputFile)}.` : "");
  return {
    content: [{ type: "text", text }],
    isError: false,
    _meta: { "toolcall/task": task },
  };
}

/** The data of a call that has become a task, in the published type of its tool. */
function taskData(
  { name, arguments: args }: ToolCall,
  { id, file }: { id: string; file: string },
): Pick<CallResult, "structuredContent"> {
  const { description, prompt } = args;
  return {
    structuredContent: name === "Bash"
      ? { stdout: "", stderr: "", interrupted: false, backgroundTaskId: id }
      : { status: "async_launched", agentId: id, description, prompt, outputFile: file },
  };
}

/** What it does, for people: its description, else its first text. */
async function titleOf({ name, arguments: args }: ToolCall, { registry }: CallOptions) {
  const texts = Object.values(args).filter((value) => typeof value === "string");
  const described = args["description"];
  const text = typeof described === "string" ? described : texts[0];
  const title = text ?? (await registry.get(name).load()).metadata.title;
  return title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE)}…` : title;
}

function statusOf({ isError, _meta }: CallResult): TaskReport["status"] {
  if (!isError) return "completed";
  const code = _meta?.["toolcall/error"]?.code;
  return code === "timeout" ? "timed_out" : code === "cancelled" ? "stopped" : "failed";
}

function textOf({ content }: CallResult): string {
  return content.map((block) => blockText(block)).join("\n");
}
