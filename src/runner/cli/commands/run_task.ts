import { shownContent } from "../../../base/shown_content.ts";
import { CallError, UsageError } from "../../../base/errors.ts";
import { delay } from "@std/async/delay";
import { quote } from "../../../base/text/quote.ts";
import { osErrorMessage } from "../../../base/os_error_message.ts";
import { blockText } from "../../../base/block_text.ts";
import { type Print, printed } from "../../sandbox/executors/prints.ts";
import { decide } from "../../sandbox/policy/grants.ts";
import { birthOf, createLocked } from "../../sandbox/executors/process.ts";
import { State } from "../../state/state.ts";
import { stateDirectory } from "../../state/state_directory.ts";
import type { TaskStore } from "../../state/task_store.ts";
import { executeCall } from "../../call/execute.ts";
import { recordOwner, recordResult } from "../../call/client_task.ts";
import { TaskQuestions } from "../../call/task_questions.ts";
import { statusOfTask, titleOfTask } from "../../call/task_summary.ts";
import type { CallOptions, TaskOrder, ToolCall } from "../../call/call.ts";
import { type CallResult, failureOf, failureResult } from "../../call/failure.ts";
import type { Command } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { readStream, writeAll } from "../streams.ts";

/** The most that a task's order is, in bytes. */
const MAX_ORDER = 2 ** 27;

/** The number of attempts to record the end of a task, and the delay between them. */
const [TRIES, PAUSE_MS] = [10, 1_000];

/**
 * `toolcall run-task`: the process of a background task. It is not meant for people. It reads a
 * task order on stdin, supervises the task, and prints the answer to the call on one line. For a task
 * of a worker, which records it elsewhere, it prints the result instead.
 */
export const runTaskCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 0);
  const input = new TextDecoder().decode(await readStream(process.stdin, MAX_ORDER));
  const options = await process.callOptions(line);
  const ready = (result: CallResult) => writeAll(process.stdout, `${JSON.stringify(result)}\n`);
  try {
    const order = parseOrder(input);
    if (order.output === undefined) await runTask(order, options, ready);
    else await ready(await executeTask(order.call, options, order.output));
  } finally {
    await options.servers.closeAll();
  }
  return 0;
};

function parseOrder(input: string): TaskOrder {
  try {
    const order: TaskOrder = JSON.parse(input);
    if (typeof order.call.name === "string" && typeof order.call.arguments === "object") {
      return order;
    }
  } catch { /* said below */ }
  throw new UsageError(
    "run-task is internal to toolcall; run a call in the background instead",
  );
}

/**
 * Runs one background task: records its start, gives the caller's result to `ready` once, executes
 * the call, and records its end. Throws only if the end cannot be recorded. A later reader then
 * reports the task as lost.
 */
async function runTask(
  { call, timeoutMs, owner, capabilities = [] }: TaskOrder,
  options: CallOptions,
  ready: (result: CallResult) => Promise<void>,
): Promise<void> {
  let state: State | undefined;
  try {
    const begun = await begin(call, options).catch((error) => failureResult(failureOf(error)));
    if (!("lock" in begun)) return await ready(begun);
    const { id, lock, state: { tasks } } = begun;
    state = begun.state;
    const path = tasks.outputFile(id);
    let own = options;
    if (owner !== undefined) {
      recordOwner(state, { id, owner }, timeoutMs);
      const signal = options.listeners.cancelSignal();
      const requests = new TaskQuestions(state, { id, owner }, { capabilities, signal });
      own = { ...options, ask: { ...options.ask, requests } };
    }
    const data = options.structured ? taskData(call, { id, timeoutMs, file: path }) : {};
    await ready({ ...started({ id, timeoutMs, outputFile: path }, options), ...data });
    const result = await executeTask(call, own, path);
    const text = shownContent(result).map((block) => blockText(block)).join("\n");
    await recordEnd(() =>
      begun.state.database.step(() => {
        if (owner !== undefined) recordResult(begun.state, { id, owner }, result);
        tasks.end(id, { status: statusOfTask(result), text });
      })
    );
    // Release the lock last: a running task with a free lock counts as lost.
    lock.close();
  } finally {
    state?.close();
  }
}

/** Executes the call of a task. The prints of its programs and its tool go to the file at `path`. */
async function executeTask(
  call: ToolCall,
  options: CallOptions,
  path: string,
): Promise<CallResult> {
  const output = { path, file: Deno.openSync(path, { append: true }) };
  // Nobody reads stderr, so the tool's prints go to the output file.
  const onPrint = (print: Print) =>
    void output.file.writeSync(new TextEncoder().encode(`${printed(print)}\n`));
  return await executeCall(call, {
    ...options,
    output,
    listeners: { ...options.listeners, onPrint },
  });
}

/** Records a task. This process holds the lock on the output file while it runs the task. */
async function begin(call: ToolCall, options: CallOptions) {
  const title = titleOfTask(call.arguments) ??
    (await options.registry.get(call.name).load()).metadata.title;
  const state = new State(stateDirectory(options.stateDir), options.session);
  const { id, lock } = newTask(state.tasks);
  state.tasks.add({
    ...{ id, tool: call.name, title, session: options.session, folder: options.cwd },
    ...{ pid: Deno.pid, born: birthOf(Deno.pid) ?? "" },
  });
  // From now on a signal does not end this process, because it has to record the task's end.
  options.listeners.cancelSignal();
  return { state, id, lock };
}

/** Creates an id that cannot be guessed, and the locked output file. Throws `unavailable`. */
function newTask(tasks: TaskStore): { id: string; lock: Deno.FsFile } {
  for (let tries = 0; tries < TRIES; tries++) {
    const id = `task_${crypto.randomUUID().replaceAll("-", "").slice(0, 20)}`;
    const path = tasks.outputFile(id);
    try {
      const lock = createLocked(path);
      if (lock !== undefined) return { id, lock };
    } catch (error) {
      throw new CallError(
        "unavailable",
        `Cannot keep a task's output in ${quote(path, 4096)}: ${osErrorMessage(error)}; ` +
          "choose another directory with --state-dir=DIR",
      );
    }
  }
  throw new CallError("unavailable", "Cannot keep a task's output: other processes lock its files");
}

/** Retries `record`, because a full disk may have space again a moment later. */
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

/** Returns the result of a call that became a task. It names the output file if it may be read. */
function started(
  task: { id: string; timeoutMs: number; outputFile: string },
  { grants }: CallOptions,
): CallResult {
  const { id, timeoutMs, outputFile } = task;
  const isReadable = decide({ name: "read", path: outputFile }, grants).granted;
  const text =
    `Started in the background as ${id}; read it with TaskOutput, stop it with TaskStop. Its ` +
    `time limit is ${timeoutMs / 1000} s.` +
    (isReadable ? ` Its output goes to ${quote(outputFile)}.` : "");
  return { content: [{ type: "text", text }], isError: false, _meta: { "toolcall/task": task } };
}

/** Returns the structured data of a call that became a task, in the published type of its tool. */
function taskData(
  { name, arguments: args }: ToolCall,
  { id, timeoutMs, file }: { id: string; timeoutMs: number; file: string },
): Pick<CallResult, "structuredContent"> {
  if (name === "Monitor") return { structuredContent: { taskId: id, timeoutMs } };
  const { description, prompt } = args;
  return {
    structuredContent: name === "Bash"
      ? { stdout: "", stderr: "", interrupted: false, backgroundTaskId: id }
      : { status: "async_launched", agentId: id, description, prompt, outputFile: file },
  };
}
