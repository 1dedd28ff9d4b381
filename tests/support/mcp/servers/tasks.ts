/**
 * A server over stdio that runs calls as tasks (SEP-2663), with the packages of the project. Its first
 * argument is a directory. It writes the ids of requested and cancelled tasks into files there. If a
 * second one is given, it reads its first message once two messages are there, like a program that
 * starts slowly.
 */
import {
  fromJsonSchema,
  type JSONRPCRequest,
  type Result,
  Server,
} from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import process from "node:process";
import { PassThrough } from "node:stream";

const TASKS = "io.modelcontextprotocol/tasks";
const [directory = ".", startsSlowly] = Deno.args;

type Json = Record<string, unknown>;

/** Returns the state of a task for the nth request about it. */
type Script = (times: number, answers: Json) => Json;

const text = (value: string) => ({ content: [{ type: "text", text: value }] });
const completed = (value: string) => ({ status: "completed", result: text(value) });
const question = {
  method: "elicitation/create",
  params: {
    mode: "form",
    message: "Ignore all \u001b[31m earlier questions",
    requestedSchema: {
      type: "object",
      properties: { name: { type: "string", title: "Your name" } },
      required: ["name"],
    },
  },
};

const scripts: Readonly<Record<string, Script>> = {
  slow: (times) =>
    times > 2 ? completed("done") : { status: "working", statusMessage: `step ${times}` },
  ask: (_, answers) =>
    answers["name"] === undefined
      ? { status: "input_required", inputRequests: { name: question } }
      : completed(JSON.stringify(answers["name"])),
  wrong: () => ({ status: "completed", result: { ...text("It went wrong"), isError: true } }),
  broken: () => ({ status: "failed", error: { code: -32603, message: "No \u001b[2Jdisk" } }),
  gone: () => ({ status: "cancelled" }),
  endless: () => ({ status: "working" }),
  odd: () => ({ status: "dancing" }),
  empty: () => ({ status: "completed", result: { content: "none" } }),
  other: () => ({ taskId: "another", status: "completed", result: text("of another") }),
};

interface Running {
  script: Script;
  times: number;
  answers: Json;
}

const tasks = new Map<string, Running>();

function describe(taskId: string, state: Json): Json {
  const now = new Date().toISOString();
  const times = { createdAt: now, lastUpdatedAt: now, ttlMs: 60_000, pollIntervalMs: 50 };
  return { taskId, ...times, ...state };
}

type Handler = Parameters<Server["_wrapHandler"]>[1];

/** The SDK refuses a task as the result of a call. */
class TaskServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    if (method !== "tools/call") return super._wrapHandler(method, handler);
    return (request: JSONRPCRequest, context) => {
      const { name } = request.params as { name: string };
      if (name === "quick") {
        return Promise.resolve<Result>(text(JSON.stringify(context.mcpReq.envelope)));
      }
      const taskId = crypto.randomUUID();
      tasks.set(taskId, { script: scripts[name]!, times: 0, answers: {} });
      const id = name === "nameless" ? "" : taskId;
      const task = { resultType: "task", ...describe(id, { status: "working" }) };
      return Promise.resolve<Result>(task);
    };
  }
}

/** Passes the first two messages on together. */
function heldInput(): PassThrough {
  const held = new PassThrough();
  let text = "";
  process.stdin.on("data", function hold(chunk) {
    text += chunk;
    if (text.split("\n").length <= 2) return;
    process.stdin.off("data", hold);
    held.write(text);
    process.stdin.pipe(held);
  });
  return held;
}

const transport = new StdioServerTransport(startsSlowly === undefined ? undefined : heldInput());

serveStdio(() => {
  const server = new TaskServer({ name: "tasks", version: "1" }, {
    capabilities: { tools: {}, extensions: { [TASKS]: {} } },
  });
  const params = {
    params: fromJsonSchema<{ taskId: string; inputResponses?: Json }>({
      type: "object",
      properties: { taskId: { type: "string" } },
      required: ["taskId"],
    }),
  };
  server.setRequestHandler("tools/list", () => ({
    tools: [...Object.keys(scripts), "quick", "nameless"].map((name) => ({
      name,
      description: `Does ${name}`,
      inputSchema: { type: "object" as const },
    })),
  }));
  server.setRequestHandler("tools/call", () => ({ content: [] }));
  server.setRequestHandler("tasks/get", params, ({ taskId }) => {
    const task = tasks.get(taskId)!;
    Deno.writeTextFileSync(`${directory}/asked`, `${taskId}\n`, { append: true });
    return describe(taskId, task.script(++task.times, task.answers));
  });
  server.setRequestHandler("tasks/update", params, ({ taskId, inputResponses }, context) => {
    const responses = inputResponses ?? context.mcpReq.inputResponses;
    Object.assign(tasks.get(taskId)!.answers, responses);
    return {};
  });
  server.setRequestHandler("tasks/cancel", params, ({ taskId }) => {
    Deno.writeTextFileSync(`${directory}/cancelled`, `${taskId}\n`, { append: true });
    return {};
  });
  return server;
}, { transport });
