/// <reference lib="dom" />
/** Favourite tools, recent tools and tools that some call may use. */
import { computed, signal } from "@preact/signals";
import type { Tool } from "./page_types.ts";
import { chips } from "./state.ts";

const read = (key: string): string[] => {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "[]");
  } catch {
    return [];
  }
};
const write = (key: string, names: readonly string[]) => {
  try {
    localStorage.setItem(key, JSON.stringify(names));
  } catch { /* They last as long as the page. */ }
};

/** The names of the favourite tools. */
export const favourites = signal(read("favourites"));
/** The names of the tools that were opened last, the newest first. */
export const recent = signal(read("recent"));

/** The most recent tools that are kept. */
const MAX_RECENT = 6;

/** Adds a favourite, or removes it. */
export function toggleFavourite(name: string) {
  favourites.value = favourites.value.includes(name)
    ? favourites.value.filter((each) => each !== name)
    : [...favourites.value, name];
  write("favourites", favourites.value);
}

/** Puts a tool first among the recent ones. */
export function touch(name: string) {
  recent.value = [name, ...recent.value.filter((each) => each !== name)].slice(0, MAX_RECENT);
  write("recent", recent.value);
}

/** The kinds of permissions of which something is allowed. Undefined if everything is. */
const kinds = computed(() => {
  const is = (side: string, isWhole: boolean) =>
    new Set(
      chips.value.filter((chip) => chip.side === side && (!isWhole || chip.value === undefined))
        .map(({ kind }) => kind),
    );
  const [allowed, denied] = [is("allow", false), is("deny", true)];
  return (kind: string) => !denied.has(kind) && (allowed.has("all") || allowed.has(kind));
});

/** Whether the chosen permissions allow some call of a tool. */
export function isCallable({ permissionKinds, permissionSets = [] }: Tool): boolean {
  return permissionSets.length > 0
    ? permissionSets.some((set) => set.every(kinds.value))
    : permissionKinds.length === 0 || permissionKinds.some(kinds.value);
}
