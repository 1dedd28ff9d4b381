import type { TaskReport } from "../registry/services.ts";
import { birthOf, createLocked } from "../sandbox/process.ts";
import { State } from "../state/state.ts";
import { stateFolder } from "../state/state_folder.ts";
import { answer } from "./answer.ts";
import type { Settings, TaskOrder, ToolCall } from "./call.ts";
import { type CallResult, failureOf, failureResult } from "./failure.ts";

/** The longest title of a task, in characters. */
const LONGEST_TITLE = 200;

/**
 * Looks after one task to its end: records it, tells `ready` what the caller is to be
 * answered, runs the call, and records its end. Never throws.
 */
export async function runTask(
  { id, call }: TaskOrder,
  settings: Settings,
  ready: (result: CallResult) => Promise<void>,
): Promise<void> {
  let state: State | undefined;
  try {
    state = new State(stateFolder(settings.stateDir), settings.session);
    const path = state.tasks.outputFile(id);
    const lock = createLocked(path);
    state.tasks.add({
      ...{ id, tool: call.name, title: await titleOf(call, settings) },
      ...{ session: settings.session, folder: settings.cwd },
      ...{ pid: Deno.pid, born: birthOf(Deno.pid) ?? "" },
    });
    await ready(started(id));
    const output = { path, file: Deno.openSync(path, { append: true }) };
    const result = await answer(call, { ...settings, output });
    state.tasks.end(id, { status: statusOf(result), text: textOf(result) });
    // Only now: who finds it free takes a task that has not ended for lost.
    lock.close();
  } catch (error) {
    await ready(failureResult(failureOf(error)));
  } finally {
    state?.close();
  }
}

function started(id: string): CallResult {
  const text = `Started in the background as ${id}; read it with TaskOutput, end it with TaskStop`;
  return {
    content: [{ type: "text", text }],
    isError: false,
    _meta: { "toolcall/task": { id } },
  };
}

/** What it does, for people: its description, else its first text. */
async function titleOf({ name, arguments: args }: ToolCall, { registry }: Settings) {
  const texts = Object.values(args).filter((value) => typeof value === "string");
  const described = args["description"];
  const text = typeof described === "string" ? described : texts[0];
  const title = text ?? (await registry.get(name).load()).metadata.title;
  return title.length > LONGEST_TITLE ? `${title.slice(0, LONGEST_TITLE)}…` : title;
}

function statusOf({ isError, _meta }: CallResult): TaskReport["status"] {
  if (!isError) return "completed";
  const code = _meta?.["toolcall/error"]?.code;
  return code === "timeout" ? "timed_out" : code === "cancelled" ? "stopped" : "failed";
}

function textOf({ content }: CallResult): string {
  return content.map((block) => block.type === "text" ? block.text : `[${block.mimeType} image]`)
    .join("\n");
}
