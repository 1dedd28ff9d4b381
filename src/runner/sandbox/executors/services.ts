import { CallError, toolFailure } from "../../../base/errors.ts";
import type { ToolContext } from "../../registry/tool_context.ts";
import type { Ask, Reply, Serve } from "./executor.ts";

/** The services as a tool's context has them. */
export type ServiceContext = Pick<
  ToolContext,
  "store" | "settings" | "tasks" | "ask" | "call" | "listTools" | "mcp" | "progress"
>;

/** The services, each of which is answered by `serve`. */
export function servicesOf(serve: Serve): ServiceContext {
  const service = <R>(name: string) => (...args: unknown[]) => serve(name, args) as Promise<R>;
  return {
    store: { get: service("store.get"), set: service("store.set") },
    settings: {
      values: service("settings.values"),
      get: service("settings.get"),
      set: service("settings.set"),
      configured: service("settings.configured"),
      configure: service("settings.configure"),
      secret: service("settings.secret"),
    },
    tasks: { read: service("tasks.read"), stop: service("tasks.stop") },
    ask: service("ask"),
    call: service("call"),
    listTools: service("call.tools"),
    mcp: {
      call: service("mcp.call"),
      resources: service("mcp.resources"),
      read: service("mcp.read"),
    },
    // Nobody waits for this answer, so its failure is ignored.
    progress: (line) => void serve("progress", [line]).catch(() => {}),
  };
}

/** For a tool that uses no service. */
export const noServices: Serve = (service) => {
  const message = `The tool does not declare that it uses ${JSON.stringify(service)}`;
  return Promise.reject(new CallError("internal", message));
};

/** For a tool that uses no service, in a call whose progress somebody follows. */
export function onlyProgress(onProgress: (line: string) => void): Serve {
  return (service, args) =>
    service === "progress"
      ? Promise.resolve(onProgress(args[0] as string))
      : noServices(service, args);
}

/** A {@link Serve} of one thread that another thread answers, through messages. */
export class RemoteServices {
  #waiting = new Map<number, (reply: Reply) => void>();
  #count = 0;

  /** Takes what sends a question to the other thread. */
  constructor(readonly send: (ask: Ask) => void) {}

  /** Sends a question and waits for its answer. */
  readonly serve: Serve = async (service, args) => {
    const id = this.#count++;
    const reply = await new Promise<Reply>((resolve) => {
      this.#waiting.set(id, resolve);
      this.send({ ask: id, service, args });
    });
    if ("value" in reply) return reply.value;
    throw new CallError(reply.error.code, reply.error.message, reply.error.details);
  };

  /** Takes the answer to a question. */
  receive(reply: Reply): void {
    this.#waiting.get(reply.reply)?.(reply);
    this.#waiting.delete(reply.reply);
  }
}

/** Answers a question of another thread. */
export async function replyTo({ ask, service, args }: Ask, serve: Serve): Promise<Reply> {
  try {
    return { reply: ask, value: await serve(service, args) };
  } catch (error) {
    const { code, message, details } = toolFailure(error);
    return { reply: ask, error: { code, message, details } };
  }
}
