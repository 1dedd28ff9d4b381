import { delay } from "@std/async/delay";
import { isObject } from "../../base/json/is_object.ts";
import {
  checkSupport,
  type ClientRequest,
  type ClientService,
} from "../registry/client_service.ts";
import type { Json } from "../registry/services.ts";
import type { State } from "../state/state.ts";
import { RETENTION_MS } from "../state/task_store.ts";
import type { OwnedTask } from "./client_task.ts";

/** The namespace of the questions in the state. */
const SPACE = "questions of tasks";
/** The interval at which a task looks for answers, in milliseconds. */
const LOOK_MS = 200;

/** A request of a task, and the answer of its client. */
interface TaskQuestion {
  request: ClientRequest;
  answer?: Record<string, unknown>;
}

/**
 * The requests of a background task to the MCP client that started it. The client reads them with
 * the state of the task, and answers whenever it likes.
 */
export class TaskQuestions implements ClientService {
  #count = 0;

  /** Takes the task, the names of its client's capabilities, and what ends the task. */
  constructor(
    readonly state: State,
    readonly task: OwnedTask,
    readonly of: { capabilities: readonly string[]; signal: AbortSignal },
  ) {}

  /** Returns the names of the client's capabilities when it started the task. */
  capabilities(): Promise<string[]> {
    return Promise.resolve([...this.of.capabilities]);
  }

  /** Asks, waits for all answers, and returns them by the names of the requests. */
  async request(requests: Record<string, ClientRequest>): Promise<Record<string, unknown>> {
    for (const request of Object.values(requests)) checkSupport(request, this.of.capabilities);
    // A task may ask twice under the same name, and each question has its own key.
    const keys = new Map(Object.keys(requests).map((name) => [name, `${++this.#count} ${name}`]));
    change(this.state, this.task, (questions) => {
      for (const [name, key] of keys) questions[key] = { request: requests[name]! };
    });
    const { signal } = this.of;
    try {
      for (;; await delay(LOOK_MS, { signal })) {
        const questions = questionsOf(this.state, this.task);
        const answers = [...keys].map(([name, key]) => [name, questions[key]?.answer] as const);
        if (answers.every(([, answer]) => answer !== undefined)) return Object.fromEntries(answers);
      }
    } finally {
      change(this.state, this.task, (questions) => {
        for (const key of keys.values()) delete questions[key];
      });
    }
  }
}

/** Returns the requests of a task that its client has not answered, by their keys. */
export function openQuestions(state: State, task: OwnedTask): Record<string, ClientRequest> {
  const open = Object.entries(questionsOf(state, task))
    .filter(([, { answer }]) => answer === undefined);
  return Object.fromEntries(open.map(([key, { request }]) => [key, request]));
}

/** Records answers to requests of a task. Keys of no open request are ignored. */
export function answerQuestions(
  state: State,
  task: OwnedTask,
  answers: Record<string, unknown>,
): void {
  change(state, task, (questions) => {
    for (const [key, question] of Object.entries(questions)) {
      const answer = Object.hasOwn(answers, key) ? answers[key] : undefined;
      if (isObject(answer)) question.answer ??= answer;
    }
  });
}

function questionsOf({ values }: State, task: OwnedTask): Record<string, TaskQuestion> {
  return (values.get(...place(task)) ?? {}) as unknown as Record<string, TaskQuestion>;
}

/** Changes the questions of a task in one step, because the task and a server both write them. */
function change(
  state: State,
  task: OwnedTask,
  work: (questions: Record<string, TaskQuestion>) => void,
): void {
  state.database.step(() => {
    const questions = questionsOf(state, task);
    work(questions);
    const value = Object.keys(questions).length > 0 ? questions as unknown as Json : undefined;
    state.values.put(...place(task), { value, ttlMs: RETENTION_MS });
  });
}

function place({ id, owner }: OwnedTask): [owner: { space: string; session: string }, id: string] {
  return [{ space: SPACE, session: owner }, id];
}
