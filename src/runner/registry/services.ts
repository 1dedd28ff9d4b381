/** The services that a tool can declare, in addition to the context of a call. */

import type { ContentBlock } from "../../base/content.ts";
import type { FileChange } from "../../base/fs/change_set.ts";

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The services that a tool can declare. */
export type ServiceName =
  | "store"
  | "todos"
  | "settings"
  | "tasks"
  | "ask"
  | "call"
  | "mcp"
  | "client"
  | "patches"
  | "edits";

/** A request of {@link ToolContext.fetch}. The default is GET without a body. */
export interface FetchRequest {
  /** The method. */
  method?: string;
  /** Header fields. */
  headers?: Record<string, string>;
  /** The body. */
  body?: string;
  /** Ends the request, besides the call's own signal. */
  signal?: AbortSignal;
}

/** The scope and lifetime of a stored value. */
export interface StoreOptions {
  /** Whether all sessions share the value. By default, it belongs to one session. */
  shared?: boolean;
  /** The lifetime in milliseconds. By default, the value does not expire. */
  ttlMs?: number;
}

/** The values that a tool stores between calls. Other tools cannot access them. */
export interface Store {
  /** The value, or `undefined`. */
  get(key: string, options?: StoreOptions): Promise<Json | undefined>;
  /** Keeps a value, or removes it for `undefined`, and returns the one before, in one step. */
  set(key: string, value: Json | undefined, options?: StoreOptions): Promise<Json | undefined>;
}

/** The value of a setting. */
export type SettingValue = string | number | boolean;

/** The values of settings by name. A setting without a value and a default is missing. */
export type SettingValues = Readonly<Record<string, SettingValue>>;

/** The value in one configuration file. */
export interface ConfiguredValue {
  /** The file. */
  file: string;
  /** The value, if the file has it. Possible secrets are replaced by `***`. */
  value?: Json;
}

/** The result of changing the configuration. */
export interface ConfigEdit extends ConfiguredValue {
  /** Whether the file has changed. */
  isChanged: boolean;
  /** The previous value. */
  before?: Json;
}

/** The settings for a tool. */
export interface SettingsService {
  /** All settings that have a value or a default. */
  values(): Promise<SettingValues>;
  /** The value of one, if it has one. Throws for an unknown name. */
  get(name: string): Promise<SettingValue | undefined>;
  /** Sets a setting. Undefined removes its value. Returns the previous value. */
  set(name: string, value: SettingValue | undefined): Promise<SettingValue | undefined>;
  /** The values at a JSON pointer, by configuration file. Rejects for an impossible pointer. */
  configured(pointer: string): Promise<ConfiguredValue[]>;
  /**
   * Sets the value at a JSON pointer in the configuration. Undefined removes it. Rejects with all
   * errors if the configuration would be invalid.
   */
  configure(pointer: string, value: Json | undefined): Promise<ConfigEdit>;
  /** The value of the environment variable that a setting names. It must never be shown. */
  secret(setting: string): Promise<string | undefined>;
}

/** The state of a background task. */
export interface TaskReport {
  /** The id. */
  id: string;
  /** The tool of the call. */
  tool: string;
  /** The title for people. */
  title: string;
  /**
   * `lost`: its process ended without recording a result, and its child processes too. Only tasks on
   * workers are `waiting`, for a worker, or `interrupted`, because their worker was lost.
   */
  status:
    | "waiting"
    | "running"
    | "completed"
    | "failed"
    | "timed_out"
    | "stopped"
    | "lost"
    | "interrupted";
  /** The start, in milliseconds since 1970. */
  startedAt: number;
  /** The end, if the task has ended and the time is known. */
  endedAt?: number;
  /** The result, or the output until now. */
  text: string;
  /** The file with the output, if it is on this machine. */
  outputFile?: string;
  /** The worker that runs the task or ran it, if a worker has begun it. */
  worker?: string;
}

/** Background tasks, by their ids. */
export interface TasksService {
  /** The state of the ended task, or after `waitMs` milliseconds. Rejects for an unknown id. */
  read(id: string, waitMs: number): Promise<TaskReport>;
  /** Ends the task, if it has not ended. Throws for an unknown id. */
  stop(id: string): Promise<TaskReport>;
}

/** Changes of several files. */
export interface PatchesService {
  /**
   * Makes all changes or none, also if the process is killed. The flags must let the call write each
   * file. Rejects with a readable error, and then no file has changed.
   */
  commit(changes: readonly FileChange[]): Promise<void>;
}

/** A question with two to four answers to choose from. */
export interface Question {
  /** The question. */
  question: string;
  /** One or two words that name it, at most 12 characters. */
  header: string;
  /** The choices. */
  options: readonly { label: string; description: string; preview?: string | undefined }[];
  /** Whether several choices are allowed. */
  multiSelect: boolean;
}

/** A call that a tool makes. */
export interface InnerCall {
  /** The tool's name. */
  name: string;
  /** Its arguments. */
  arguments: Record<string, unknown>;
  /** The session of the call. The default is the caller's session. */
  session?: string;
}

/** The result of an inner call. */
export interface InnerResult {
  /** Text and image blocks. */
  content: ContentBlock[];
  /** Whether it failed. */
  isError: boolean;
}

/** An API of models: chat completions as OpenAI defines them, or Anthropic's messages. */
export type ModelApiName = "openai" | "anthropic";

/** A tool that can be called. */
export interface InnerTool {
  /** The name to call, as the models' APIs take it. */
  name: string;
  /** Its definition for a model, in the form of the API. */
  definition: Record<string, unknown>;
  /** Whether it only reads, so that several calls may run at the same time. */
  readOnly: boolean;
}
