import type { DisabledTools } from "./disabled_tools.ts";
import type { RegistryEntry } from "./registered_tool.ts";
import type { RegistryEvent } from "./registry_listeners.ts";

/** A tool of a registry, and whether it is disabled. */
export interface ToolState {
  /** The tool. */
  entry: RegistryEntry;
  /** A disabled tool is not listed, and its calls fail. */
  isDisabled: boolean;
}

/** The states of the tools by their names. */
export function statesOf(
  entries: readonly RegistryEntry[],
  disabled: DisabledTools,
): Map<string, ToolState> {
  return new Map(
    entries.map((entry) => {
      const isDisabled = disabled.reason(entry.name) !== undefined;
      return [entry.name, { entry, isDisabled }];
    }),
  );
}

/** The events between two states of a registry, by the names of its tools. */
export function changesBetween(
  before: ReadonlyMap<string, ToolState>,
  after: ReadonlyMap<string, ToolState>,
): RegistryEvent[] {
  const gone = [...before.keys()].filter((name) => !after.has(name));
  return [
    ...gone.map((name): RegistryEvent => ({ type: "unregistered", name })),
    ...[...after].flatMap(([name, { entry, isDisabled }]): RegistryEvent[] => {
      const old = before.get(name);
      const isNew = old === undefined || !isSame(old.entry, entry);
      const wasDisabled = !isNew && old.isDisabled;
      return [
        ...(isNew ? [{ type: "registered", name } as const] : []),
        ...(isDisabled === wasDisabled
          ? []
          : [{ type: isDisabled ? "disabled" : "enabled", name } as const]),
      ];
    }),
  ];
}

/** Whether two entries are of one tool. Only built-in tools have a side effect there. */
function isSame(one: RegistryEntry, other: RegistryEntry): boolean {
  return one === other || one.sideEffect !== undefined && one.sideEffect === other.sideEffect;
}
