/// <reference lib="dom" />
/** The data that the page and its server exchange. */
import type {} from "./state.ts";

/** A tool, as `toolcall list --format=json` prints it. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  category: string;
  sideEffect: string;
  aliases?: string[];
  permissionKinds: string[];
  permissionSets?: string[][];
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
  title?: string;
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
  log?: string[];
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
  hasWorkers: boolean;
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

/** Takes a new value. */
export type ChangeValue = (value: unknown) => void;

/** A finding of `toolcall doctor`. */
export interface ReportedFinding {
  kind: string;
  name: string;
  ok: boolean;
  detail: string;
  advice?: string;
}
/** The report of `toolcall doctor`. */
export interface DoctorReport {
  ok: boolean;
  findings: ReportedFinding[];
}
/** A fault in a file of the configuration. */
export interface FileProblem {
  message: string;
  line?: number;
  path?: string;
}
/** The report of `toolcall config check` with the texts of the files. */
export interface ConfigReport {
  files: { path: string; problems: FileProblem[]; text?: string }[];
  lookedFor: string[];
}
