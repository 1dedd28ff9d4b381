/// <reference lib="dom" />
/** The state of the page. */
import { computed, signal } from "@preact/signals";
import { type Chip, chipFlags } from "./chips.ts";
import type { Asked, HistoryRow, Report, ServerState, Task, Tool } from "./page_types.ts";

const fromAddress = /(?:^#|&)token=([^&]+)/.exec(location.hash)?.[1];
if (fromAddress) history.replaceState(null, "", `${location.pathname}#/tools`);

/** The token of the server. */
export const token = signal(fromAddress ?? "");
/** Whether the server accepted the token. */
export const isReady = signal(false);
/** Why the connection failed. */
export const problem = signal("");
/** The state of the server. */
export const server = signal<ServerState | undefined>(undefined);
/** The catalogue. */
export const tools = signal<Tool[]>([]);
/** The part of the address after the `#`. */
export const route = signal(location.hash.slice(1) || "/tools");
/** The chosen permissions. */
export const chips = signal<Chip[]>([]);
/** The chosen permissions as flags. */
export const chosenFlags = computed(() => chipFlags(chips.value));
/** The name of the chosen tool. */
export const selected = signal("");
/** The arguments of the call. */
export const args = signal<Record<string, unknown>>({});
/** The report of the last check. */
export const report = signal<Report | undefined>(undefined);
/** Why the last check failed. */
export const reportError = signal("");
/** The history of calls. */
export const rows = signal<HistoryRow[]>([]);
/** The call that runs, with its progress. */
export const running = signal<{ id: string; log: string[]; isCancelled?: boolean } | undefined>(
  undefined,
);
/** The last result of the chosen tool. */
export const latest = signal<HistoryRow | undefined>(undefined);
/** The question that waits for the user. */
export const asked = signal<Asked | undefined>(undefined);
/** The background tasks. */
export const tasks = signal<Task[]>([]);
/** The records of the audit log. */
// deno-lint-ignore no-explicit-any -- Records of the log are shown as they are.
export const audit = signal<any[]>([]);
/** A short message. */
export const toast = signal("");
/** The chosen tool. */
export const tool = computed(() => tools.value.find(({ name }) => name === selected.value));

/** Shows a short message. */
export function say(text: string) {
  toast.value = text;
  setTimeout(() => {
    if (toast.value === text) toast.value = "";
  }, 4_000);
}

/** Copies a string to the clipboard. */
export async function copy(text: string) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied");
  } catch {
    say("The browser does not allow copying; select the text instead");
  }
}

/** Saves a string as a file of the browser's downloads. */
export function save(name: string, text: string) {
  const url = URL.createObjectURL(new Blob([text]));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
