/** Takes the calls in the workspaces of a worker. */

import type { Msg, Subscription } from "@nats-io/nats-core";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { MessageReply, Replies } from "./replies.ts";
import { END_WORKSPACE, openSubject, QUEUE, workspaceSubject } from "./subjects.ts";
import type { Workspaces } from "./workspaces.ts";

/** Answers the calls in the workspaces of a worker. */
export interface WorkspaceCalls {
  /** Takes a call. */
  take(tool: string, message: Msg, workspace: string): void;
  /** Answers a call that cannot run. */
  refuse(reply: MessageReply, error: CallError): void;
}

/** The subscriptions of a worker for its workspaces. */
export class WorkspaceListener {
  readonly #subscriptions: Subscription[] = [];

  /** Takes what answers messages, the workspaces, and what takes the calls of these tools. */
  constructor(
    readonly replies: Replies,
    readonly workspaces: Workspaces,
    readonly calls: WorkspaceCalls,
    readonly tools: readonly string[],
  ) {}

  /** Starts to make workspaces for the callers of a pool. */
  listen(pool: string): void {
    const callback = (error: Error | null, message: Msg) => {
      if (error === null) this.#open(pool, message);
    };
    const subject = openSubject(pool, "*.*");
    this.#subscriptions.push(
      this.replies.connection.subscribe(subject, { queue: QUEUE, callback }),
    );
  }

  /** Takes no further call. Resolves when the calls that were delivered before have begun. */
  async stop(): Promise<void> {
    await Promise.all(this.#subscriptions.map((each) => each.drain()));
  }

  async #open(pool: string, message: Msg): Promise<void> {
    const reply = this.replies.open(message);
    if (reply === undefined) return;
    const key = message.subject.split(".").slice(3).join(".");
    try {
      if (!this.workspaces.has(key)) {
        await this.workspaces.make(key);
        this.#follow(pool, key);
        await this.replies.connection.flush();
      }
      reply.send("");
    } catch (error) {
      const { message: why } = error as Error;
      this.calls.refuse(reply, new CallError("unavailable", `Cannot make a workspace: ${why}`));
    }
  }

  /** Subscribes to the calls of a workspace. It is in one queue, so two owners never run one call. */
  #follow(pool: string, key: string): void {
    const { replies, workspaces, calls, tools } = this;
    const own = workspaceSubject(pool, key);
    const offered = new Set(tools);
    const subscribe = (subject: string, take: (message: Msg) => void) =>
      replies.connection.subscribe(subject, {
        queue: QUEUE,
        callback: (error, message) => {
          if (error === null) take(message);
        },
      });
    const followed = [
      subscribe(own, (message) => {
        if (message.string() === END_WORKSPACE) workspaces.end(key);
        else replies.open(message)?.send("");
      }),
      subscribe(`${own}.>`, (message) => {
        const tool = message.subject.slice(own.length + 1);
        if (offered.has(tool)) return calls.take(tool, message, key);
        const text = `The worker of this workspace does not offer ${quote(tool, 80)}`;
        const reply = replies.open(message);
        if (reply !== undefined) calls.refuse(reply, new CallError("unavailable", text, { tool }));
      }),
    ];
    this.#subscriptions.push(...followed);
    workspaces.onEnd(key, () => {
      for (const each of followed) {
        each.unsubscribe();
        this.#subscriptions.splice(this.#subscriptions.indexOf(each), 1);
      }
    });
  }
}
