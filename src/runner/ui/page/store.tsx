/// <reference lib="dom" />
/** The state of the page, and its requests to the server. */
import { computed, effect, signal } from "@preact/signals";
import { type Chip, chipsOf, flagsOf } from "./chips.tsx";

/** A tool, as `toolcall list --format=json` prints it. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  category: string;
  sideEffect: string;
  aliases?: string[];
  permissionKinds: string[];
  server?: string;
  inputSchema: Schema;
  examples: { description?: string; title?: string; input: Record<string, unknown> }[];
}
/** The part of JSON Schema that forms are made of. */
export interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  enum?: unknown[];
  default?: unknown;
  description?: string;
  items?: Schema;
  anyOf?: Schema[];
  minimum?: number;
  maximum?: number;
  format?: string;
  minLength?: number;
  maxLength?: number;
}
/** A permission that a call needs. */
export interface Need {
  name: string;
  granted: boolean;
  denied: boolean;
  flag: string;
  why?: string;
  [value: string]: unknown;
}
/** The report of a check, or the result with its failure. */
export interface Report {
  tool?: string;
  needs?: Need[];
  granted?: boolean;
  plan?: string;
  reason?: string;
  // deno-lint-ignore no-explicit-any -- The description of the sandbox is shown and never interpreted.
  walls?: any;
  policy?: { timeoutMs: number };
  content?: { text?: string }[];
  arguments?: Record<string, unknown>;
  _meta?: Record<string, unknown>;
}
/** The result of a call. */
export interface Result {
  content: { type: string; text?: string; data?: string; mimeType?: string }[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}
/** One call in the history of this page. */
export interface HistoryRow {
  id: number;
  at: number;
  name: string;
  args: Record<string, unknown>;
  flags: string[];
  ms: number;
  exit: number;
  code: string;
  result?: Result;
  needs: Need[];
  isPinned?: boolean;
}
/** A question of a tool. */
export interface Asked {
  id: string;
  questions: {
    question: string;
    header: string;
    multiSelect?: boolean;
    options: { label: string; description?: string }[];
  }[];
}
/** The state of the server. */
export interface ServerState {
  version: string;
  ceiling: string[];
  root: string;
  isReadOnly: boolean;
  hasAudit: boolean;
  sets: Record<string, string[]>;
}
/** A stored background task. */
export interface Task {
  id: string;
  tool: string;
  status: string;
  startedAt: number;
  endedAt?: number;
  description?: string;
  text?: string;
}

const fromAddress = /(?:^#|&)token=([^&]+)/.exec(location.hash)?.[1];
if (fromAddress) history.replaceState(null, "", `${location.pathname}#/tools`);

export const token = signal(fromAddress ?? "");
export const isReady = signal(false);
export const problem = signal("");
export const server = signal<ServerState | undefined>(undefined);
export const tools = signal<Tool[]>([]);
export const route = signal(location.hash.slice(1) || "/tools");
export const chips = signal<Chip[]>([]);
export const flags = computed(() => flagsOf(chips.value));
export const selected = signal("");
export const args = signal<Record<string, unknown>>({});
export const report = signal<Report | undefined>(undefined);
export const reportError = signal("");
export const rows = signal<HistoryRow[]>([]);
export const running = signal<{ id: string; log: string[] } | undefined>(undefined);
export const latest = signal<HistoryRow | undefined>(undefined);
export const asked = signal<Asked | undefined>(undefined);
export const tasks = signal<Task[]>([]);
// deno-lint-ignore no-explicit-any -- Records of the log are shown as they are.
export const audit = signal<any[]>([]);
export const toast = signal("");
export const tool = computed(() => tools.value.find(({ name }) => name === selected.value));

addEventListener("hashchange", () => {
  const pasted = /(?:^#|&)token=([^&]+)/.exec(location.hash)?.[1];
  if (pasted) {
    history.replaceState(null, "", `${location.pathname}#/tools`);
    connect(pasted);
  }
  route.value = location.hash.slice(1) || "/tools";
});

/** Sends a request with the token. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${token.value}`, "content-type": "application/json" };
  const response = await fetch(`/api/${path}`, { ...init, headers });
  if (response.status === 401) {
    isReady.value = false;
    problem.value = "The token is missing or wrong.";
  }
  return response;
}

/** Sends a request and returns its JSON. Throws the error that the server names. */
export async function api<T>(
  path: string,
  body?: unknown,
  method = body === undefined ? "GET" : "POST",
): Promise<T> {
  const response = await request(path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const data = await response.json();
  if (!response.ok) {
    throw new Error(
      typeof data.error === "string"
        ? data.error
        : data.error?.message ?? `Status ${response.status}`,
    );
  }
  return data;
}

/** Reads a response of server-sent events. */
export async function readEvents(response: Response, take: (event: string, data: unknown) => void) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = "";;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const parts = text.split("\n\n");
    text = parts.pop()!;
    for (const part of parts) {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/s.exec(part) ?? [];
      if (event) take(event, JSON.parse(data!));
    }
  }
}

/** Connects with a token, and loads what all pages need. */
export async function connect(given: string) {
  token.value = given.trim();
  problem.value = "";
  try {
    const state = await api<ServerState>("state");
    tools.value = await api<Tool[]>("tools");
    server.value = state;
    chips.value = chipsOf(state.ceiling);
    isReady.value = true;
    restore();
    follow();
  } catch (error) {
    problem.value = (error as Error).message;
  }
}

async function follow() {
  while (isReady.value) {
    audit.value = [];
    let batch: unknown[] = [];
    await readEvents(await request("events"), (event, data) => {
      if (event === "tasks") tasks.value = data as Task[];
      else if (event === "audit") {
        if (batch.push(data) === 1) {
          setTimeout(() => {
            audit.value = [...audit.value, ...batch].slice(-10_000);
            batch = [];
          }, 50);
        }
      }
    }).catch(() => {});
    await new Promise((end) => setTimeout(end, 2_000));
  }
}

const SECRET = /key|token|secret|password|authorization/i;
const masked = (value: unknown, name = ""): unknown =>
  SECRET.test(name) && typeof value === "string"
    ? "***"
    : Array.isArray(value)
    ? value.map((each) => masked(each))
    : value && typeof value === "object"
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, masked(each, key)]))
    : value;

function restore() {
  try {
    rows.value = JSON.parse(sessionStorage.getItem("calls") ?? "[]");
  } catch { /* It starts empty. */ }
}
function keep() {
  try {
    sessionStorage.setItem(
      "calls",
      JSON.stringify(
        rows.value.slice(-200).map(({ result: _, ...row }) => ({ ...row, args: masked(row.args) })),
      ),
    );
  } catch { /* The storage is full: the history lasts as long as the page. */ }
}

/** Adds finished calls to the history, which keeps the last 10,000. */
export function remember(...more: HistoryRow[]) {
  rows.value = [...rows.value, ...more].slice(-10_000);
  keep();
}

/** Checks the current call under the current flags. */
export async function check() {
  if (selected.value === "") return;
  const [name, given, under] = [selected.value, args.value, flags.value];
  try {
    const found = await api<Report>("check", { name, arguments: given, flags: under });
    if (name !== selected.value || given !== args.value || under !== flags.value) return;
    report.value = found;
    reportError.value = "";
  } catch (error) {
    reportError.value = (error as Error).message;
  }
}

let timer = 0;
effect(() => {
  // Reading these values makes the check follow them.
  [selected.value, args.value, flags.value];
  clearTimeout(timer);
  if (isReady.value) timer = setTimeout(check, 180) as unknown as number;
});

/** Runs a call, the current one unless another is given. */
export async function run(name = selected.value, given = args.value, under = flags.value) {
  if (running.value !== undefined) return;
  running.value = { id: "", log: [] };
  const at = Date.now();
  let needs: Need[] = [];
  try {
    needs = (await api<Report>("check", { name, arguments: given, flags: under })).needs ?? [];
    const response = await request("call", {
      method: "POST",
      body: JSON.stringify({ name, arguments: given, flags: under }),
    });
    if (!response.ok) throw new Error((await response.json()).error);
    await readEvents(response, (event, data) => {
      if (event === "start") running.value = { ...running.value!, id: (data as { id: string }).id };
      if (event === "progress" || event === "output") {
        running.value = { ...running.value!, log: [...running.value!.log, String(data)] };
      }
      if (event === "question") asked.value = data as Asked;
      if (event !== "result") return;
      const { result, ms, exit } = data as { result: Result; ms: number; exit: number };
      const error = result._meta?.["toolcall/error"] as { code: string } | undefined;
      const row = {
        id: at + Math.random(),
        at,
        name,
        args: given,
        flags: under,
        ms,
        exit,
        code: error?.code ?? "",
        result,
        needs,
      };
      latest.value = row;
      remember(row);
    });
  } catch (error) {
    say((error as Error).message);
  }
  running.value = undefined;
  asked.value = undefined;
}

/** Cancels the running call. */
export const cancel = () =>
  running.value?.id && api(`calls/${running.value.id}`, undefined, "DELETE").catch(() => {});

/** Shows a short message. */
export function say(text: string) {
  toast.value = text;
  setTimeout(() => {
    if (toast.value === text) toast.value = "";
  }, 4_000);
}

/** Copies a text to the clipboard. */
export async function copy(text: string) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied");
  } catch {
    say("The browser does not allow copying; select the text instead");
  }
}

/** Opens a tool, with arguments if they are given. */
export function open(name: string, given: Record<string, unknown> = {}) {
  selected.value = name;
  args.value = given;
  latest.value = undefined;
  report.value = undefined;
  location.hash = `/tools/${encodeURIComponent(name)}`;
}
