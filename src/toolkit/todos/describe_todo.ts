import type { Todo } from "../../runner/registry/todos_service.ts";

/** The ids of the items that an item still waits for. */
export function openBlockers({ blockedBy }: Todo, all: readonly Todo[]): string[] {
  return blockedBy.filter((id) =>
    all.some((each) => each.id === id && each.status !== "completed")
  );
}

/** The ids of the items that wait for an item. */
export function blockedItems({ id }: Todo, all: readonly Todo[]): string[] {
  return all.filter(({ blockedBy }) => blockedBy.includes(id)).map((each) => each.id);
}

/** An item as one line for a model. */
export function todoLine(todo: Todo, all: readonly Todo[]): string {
  const { id, content, status, owner } = todo;
  const waits = openBlockers(todo, all);
  const facts = [
    ...(owner === undefined || owner === "" ? [] : [`owner: ${owner}`]),
    ...(waits.length === 0 ? [] : [`waits for ${waits.join(", ")}`]),
  ];
  return `${id}  ${status}  ${content}${facts.length === 0 ? "" : ` (${facts.join("; ")})`}`;
}
