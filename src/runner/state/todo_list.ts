import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { Json } from "../registry/services.ts";
import type { ChangedTodo, Todo, TodoChange } from "../registry/todos_service.ts";
import type { Owner, ValueStore } from "./value_store.ts";

/** The most items of a list. */
const MAX_ITEMS = 1_000;

/** The keys of the list and of the largest number that an item ever had. */
const [LIST, LAST] = ["todos", "last_todo"] as const;

/** The fields of an item that a change sets, with their names in the published tool. */
const FIELDS = [
  ["content", "subject"],
  ["description", "description"],
  ["activeForm", "activeForm"],
  ["owner", "owner"],
  ["status", "status"],
] as const;

/** A stored item. A list of an older version has no ids. */
type StoredTodo = Omit<Todo, "id" | "blockedBy"> & { id?: string; blockedBy?: string[] };

/** The to-do list of a session. */
export class TodoList {
  #owner: Owner;

  /** Takes the store and the session. */
  constructor(readonly values: ValueStore, session: string) {
    this.#owner = { space: "tool TodoWrite", session };
  }

  /** Returns all items in order. */
  list(): Todo[] {
    return this.values.database.step(() => this.#read().items);
  }

  /** Replaces the list and returns the previous one. Items with the same text keep their ids. */
  replace(given: readonly Pick<Todo, "content" | "status" | "activeForm">[]): Todo[] {
    return this.values.database.step(() => {
      const { items: before, last } = this.#read();
      const left = [...before];
      let count = last;
      const items = given.map(({ content, status, activeForm }): Todo => {
        const at = left.findIndex((each) => each.content === content);
        const [kept] = at < 0 ? [] : left.splice(at, 1);
        const own = kept ?? { id: String(++count), blockedBy: [] };
        return { ...own, content, status, ...(activeForm !== undefined && { activeForm }) };
      });
      this.#write(items, count);
      return before;
    });
  }

  /** Appends an item. Throws `tool_failed` if the list is full. */
  add(given: Omit<Todo, "id" | "status" | "blockedBy">): Todo {
    const { content, activeForm, description, owner, metadata } = given;
    return this.values.database.step(() => {
      const { items, last } = this.#read();
      if (items.length >= MAX_ITEMS) {
        throw failure(
          `Cannot add ${
            quote(content)
          }: the to-do list has ${MAX_ITEMS} items, which is the most; ` +
            'delete items with TaskUpdate and the status "deleted"',
        );
      }
      const item: Todo = {
        ...{ id: String(last + 1), content, status: "pending", blockedBy: [] },
        ...(activeForm !== undefined && { activeForm }),
        ...(description !== undefined && { description }),
        ...(owner !== undefined && { owner }),
        ...(metadata !== undefined && { metadata: merged({}, metadata) }),
      };
      this.#write([...items, item], last + 1);
      return item;
    });
  }

  /** Changes an item. Throws `tool_failed` for an unknown id, and if items would block each other. */
  update(id: string, change: TodoChange): ChangedTodo {
    return this.values.database.step(() => {
      const { items, last } = this.#read();
      const before = itemOf(items, id);
      if (change.status === "deleted") {
        this.#write(items.filter((each) => each !== before), last);
        return { before, fields: ["deleted"] };
      }
      const { item: after, fields } = changed(before, change);
      const all = items.map((each) => each === before ? after : each);
      for (const other of change.addBlockedBy ?? []) {
        if (block(after, itemOf(all, other)) && !fields.includes("blockedBy")) {
          fields.push("blockedBy");
        }
      }
      for (const other of change.addBlocks ?? []) {
        if (block(itemOf(all, other), after) && !fields.includes("blocks")) fields.push("blocks");
      }
      refuseCycle(all, after);
      this.#write(all, last);
      return { before, after, fields };
    });
  }

  #read(): { items: Todo[]; last: number } {
    const stored = (this.values.get(this.#owner, LIST) ?? []) as unknown as StoredTodo[];
    let last = Number(this.values.get(this.#owner, LAST) ?? 0);
    const items = stored.map(({ id, blockedBy = [], ...item }): Todo => {
      if (id === undefined) last++;
      return { id: id ?? String(last), ...item, blockedBy };
    });
    return { items, last };
  }

  #write(items: readonly Todo[], last: number): void {
    const ids = new Set(items.map(({ id }) => id));
    const stored = items.map(({ blockedBy, ...item }): StoredTodo => {
      const known = blockedBy.filter((id) => ids.has(id));
      return { ...item, ...(known.length > 0 && { blockedBy: known }) };
    });
    this.values.put(this.#owner, LIST, { value: stored as unknown as Json });
    this.values.put(this.#owner, LAST, { value: last });
  }
}

/** The item of that id. A model may write `#3` for `3`. */
function itemOf(items: readonly Todo[], given: string): Todo {
  const id = given.trim().replace(/^#/, "");
  const item = items.find((each) => each.id === id);
  if (item !== undefined) return item;
  throw failure(
    `Cannot find the to-do item ${quote(given, 80)}; TaskList lists all items with their ids`,
  );
}

/** A changed copy of the item, and the fields that differ. */
function changed(before: Todo, change: TodoChange): { item: Todo; fields: string[] } {
  const item = { ...before, blockedBy: [...before.blockedBy] };
  const fields: string[] = [];
  for (const [key, name] of FIELDS) {
    const value = change[key];
    if (value === undefined || value === before[key]) continue;
    Object.assign(item, { [key]: value });
    fields.push(name);
  }
  if (change.metadata !== undefined) {
    item.metadata = merged(before.metadata ?? {}, change.metadata);
    fields.push("metadata");
  }
  return { item, fields };
}

/** The data with the changes. A key with the value null is removed. */
function merged(data: Record<string, Json>, changes: Record<string, Json>): Record<string, Json> {
  const all = new Map([...Object.entries(data), ...Object.entries(changes)]);
  return Object.fromEntries([...all].filter(([, value]) => value !== null));
}

/** Makes an item wait for another one. Returns whether it did not before. */
function block(item: Todo, blocker: Todo): boolean {
  if (item.blockedBy.includes(blocker.id)) return false;
  item.blockedBy = [...item.blockedBy, blocker.id];
  return true;
}

/** Throws if an item waits for itself, also by way of other items. */
function refuseCycle(items: readonly Todo[], item: Todo): void {
  const seen = new Set<string>();
  const visit = (id: string): void => {
    if (seen.has(id)) return;
    seen.add(id);
    for (const other of items.find((each) => each.id === id)?.blockedBy ?? []) {
      if (other === item.id) {
        throw failure(
          `Cannot update the to-do item ${quote(item.id)}: it would wait for itself; ` +
            "name only items that can be completed before it",
        );
      }
      visit(other);
    }
  };
  visit(item.id);
}

function failure(message: string): CallError {
  return new CallError("tool_failed", message);
}
