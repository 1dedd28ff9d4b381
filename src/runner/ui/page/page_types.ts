/// <reference lib="dom" />
/** The data that the page and its server exchange. */

/** A tool, as `toolcall list --format=json` prints it. */
export interface Tool {
  /** Its name. */
  name: string;
  /** Its short title. */
  title: string;
  /** The description for a model. */
  description: string;
  /** Its category. */
  category: string;
  /** The strongest effect of a call. */
  sideEffect: string;
  /** Other names that call it. */
  aliases?: string[];
  /** The kinds of permission that a call can need. */
  permissionKinds: string[];
  /** The combinations of kinds that a call can need. */
  permissionSets?: string[][];
  /** The MCP server that offers it. */
  server?: string;
  /** The JSON Schema of its arguments. */
  inputSchema: Schema;
  /** Sample calls. */
  examples: { description?: string; title?: string; input: Record<string, unknown> }[];
}
/** The part of JSON Schema that forms are made of. */
export interface Schema {
  /** The type, or the types. */
  type?: string | string[];
  /** The schemas of the properties. */
  properties?: Record<string, Schema>;
  /** The required properties. */
  required?: string[];
  /** The allowed values. */
  enum?: unknown[];
  /** The value of a missing property. */
  default?: unknown;
  /** The description for people and models. */
  description?: string;
  /** The title. */
  title?: string;
  /** The schema of the items of an array. */
  items?: Schema;
  /** The schemas of which one has to match. */
  anyOf?: Schema[];
  /** The smallest number. */
  minimum?: number;
  /** The largest number. */
  maximum?: number;
  /** The format of a string, such as `uri`. */
  format?: string;
  /** The fewest characters. */
  minLength?: number;
  /** The most characters. */
  maxLength?: number;
}
/** A permission that a call needs. */
export interface Need {
  /** The kind of permission. */
  name: string;
  /** Whether the flags grant it. */
  granted: boolean;
  /** Whether a deny flag forbids it. */
  denied: boolean;
  /** The flag that would grant it, or that forbids it. */
  flag: string;
  /** The reason why a general grant does not cover it. */
  why?: string;
  /** The value: a path, a host, a program, … */
  [value: string]: unknown;
}
/** The report of a check, or the result with its failure. */
export interface Report {
  /** The name of the tool. */
  tool?: string;
  /** The permissions that the call needs. */
  needs?: Need[];
  /** Whether the call would run. */
  granted?: boolean;
  /** The executor that would run the call. */
  plan?: string;
  /** The reason for a refusal. */
  reason?: string;
  /** The sandbox. */
  // deno-lint-ignore no-explicit-any -- The description of the sandbox is shown and never interpreted.
  sandbox?: any;
  /** The limits of the call. */
  policy?: { timeoutMs: number };
  /** The texts of a failure. */
  content?: { text?: string }[];
  /** The arguments with their defaults. */
  arguments?: Record<string, unknown>;
  /** Data for programs. */
  _meta?: Record<string, unknown>;
}
/** The result of a call. */
export interface Result {
  /** The content blocks. */
  content: { type: string; text?: string; data?: string; mimeType?: string }[];
  /** The data of the result. */
  structuredContent?: unknown;
  /** Whether the call failed. */
  isError?: boolean;
  /** Data for programs. */
  _meta?: Record<string, unknown>;
}
/** One call in the history of this page. */
export interface HistoryRow {
  /** The number of the row. */
  id: number;
  /** The start, in milliseconds since 1970. */
  at: number;
  /** The name of the tool. */
  name: string;
  /** The arguments. */
  args: Record<string, unknown>;
  /** The permission flags of the call. */
  flags: string[];
  /** The duration in milliseconds. */
  ms: number;
  /** The exit code. */
  exit: number;
  /** The code of the failure, or an empty string. */
  code: string;
  /** The result, once there is one. */
  result?: Result;
  /** The permissions that the call needed. */
  needs: Need[];
  /** Whether the row stays at the top. */
  isPinned?: boolean;
  /** The lines of progress and output. */
  log?: string[];
}
/** A question of a tool. */
export interface Asked {
  /** The id of the call that asks. */
  id: string;
  /** The questions, with their options. */
  questions: {
    question: string;
    header: string;
    multiSelect?: boolean;
    options: { label: string; description?: string }[];
  }[];
}
/** The state of the server. */
export interface ServerState {
  /** The version of toolcall. */
  version: string;
  /** The flags that the page can narrow. */
  ceiling: string[];
  /** The working directory. */
  root: string;
  /** Whether calls are refused. */
  isReadOnly: boolean;
  /** Whether there is an audit log. */
  hasAudit: boolean;
  /** Whether there is a list of workers. */
  hasWorkers: boolean;
  /** The permission sets of the configuration, as flags. */
  sets: Record<string, string[]>;
}
/** A stored background task. */
export interface Task {
  /** The id of the task. */
  id: string;
  /** The name of the tool. */
  tool: string;
  /** The state, such as `running`. */
  status: string;
  /** The start, in milliseconds since 1970. */
  startedAt: number;
  /** The end, in milliseconds since 1970. */
  endedAt?: number;
  /** The purpose, as the call gave it. */
  description?: string;
  /** The output. */
  text?: string;
}

/** Takes a new value. */
export type ChangeValue = (value: unknown) => void;

/** A finding of `toolcall doctor`. */
export interface ReportedFinding {
  /** The group of the finding. */
  kind: string;
  /** The thing that was tested. */
  name: string;
  /** Whether it works. */
  ok: boolean;
  /** The finding in words. */
  detail: string;
  /** How to get what is missing. */
  advice?: string;
}
/** The report of `toolcall doctor`. */
export interface DoctorReport {
  /** Whether everything works. */
  ok: boolean;
  /** The findings. */
  findings: ReportedFinding[];
}
/** A fault in a file of the configuration. */
export interface FileProblem {
  /** The fault. */
  message: string;
  /** The line in the file. */
  line?: number;
  /** The JSON pointer of the value. */
  path?: string;
}
/** The report of `toolcall config check` with the texts of the files. */
export interface ConfigReport {
  /** The files with their faults and texts. */
  files: { path: string; problems: FileProblem[]; text?: string }[];
  /** The paths where configuration files are expected. */
  lookedFor: string[];
}
