import type { Json } from "./services.ts";

/** The state of an item of the to-do list. */
export type TodoStatus = "pending" | "in_progress" | "completed";

/** An item of the to-do list of a session. */
export interface Todo {
  /** Its number, which no other item of the list ever gets. */
  id: string;
  /** The work to do, in a few words. */
  content: string;
  /** Its state. */
  status: TodoStatus;
  /** The text for a progress display, if it differs from `content`. */
  activeForm?: string;
  /** The work to do, in full. */
  description?: string;
  /** The agent or person that works on it. */
  owner?: string;
  /** Other data of the model or its program. */
  metadata?: Record<string, Json>;
  /** The ids of the items that have to be completed before it. */
  blockedBy: string[];
}

/** A change of an item. A missing field stays as it is. */
export interface TodoChange {
  /** The new text. */
  content?: string | undefined;
  /** The new text for a progress display. */
  activeForm?: string | undefined;
  /** The new full text. */
  description?: string | undefined;
  /** The new owner. */
  owner?: string | undefined;
  /** The new state. `deleted` removes the item. */
  status?: TodoStatus | "deleted" | undefined;
  /** Ids of items that cannot begin before this one is completed. */
  addBlocks?: readonly string[] | undefined;
  /** Ids of items that have to be completed before this one. */
  addBlockedBy?: readonly string[] | undefined;
  /** Data to merge into that of the item. A key with the value null is removed. */
  metadata?: Record<string, Json> | undefined;
}

/** An item before and after a change. */
export interface ChangedTodo {
  /** The item before. */
  before: Todo;
  /** The item after, unless it was deleted. */
  after?: Todo;
  /** The fields that have changed, by the names of the published tool. */
  fields: string[];
}

/** The to-do list of the session. Every change is one step for all processes. */
export interface TodosService {
  /** Returns all items in order. */
  list(): Promise<Todo[]>;
  /**
   * Replaces the list and returns the previous one. An item that has the text of a previous item
   * keeps its id, its owner and the other fields that are not given.
   */
  replace(items: readonly Pick<Todo, "content" | "status" | "activeForm">[]): Promise<Todo[]>;
  /** Appends an item. Rejects if the list is full. */
  add(item: Omit<Todo, "id" | "status" | "blockedBy">): Promise<Todo>;
  /** Changes an item. Rejects for an unknown id, and if items would wait for each other. */
  update(id: string, change: TodoChange): Promise<ChangedTodo>;
}
