/** What the engine does for tools that declare it, besides lending them the context of a call. */

import type { ContentBlock, ResourceContents, ToolOutput } from "../../base/content.ts";

/** What JSON can say. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The services of the engine that a tool has to declare. */
export type ServiceName = "store" | "settings" | "tasks" | "ask" | "call" | "mcp";

/** A request that {@link ToolContext.fetch} sends: GET without a body where nothing is said. */
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

/** Whose a value in the store is, and how long it is kept. */
export interface StoreOptions {
  /** Whether all sessions have it; otherwise it is the session's. */
  shared?: boolean;
  /** How long it is kept, in milliseconds; for good where nothing is said. */
  ttlMs?: number;
}

/** Values that a tool keeps between calls, by key, out of other tools' reach. */
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

/** What a file of the configuration says of one thing. */
export interface ConfiguredValue {
  /** The file. */
  file: string;
  /** What it says; not there where it says nothing. What may be a secret is `***`. */
  value?: Json;
}

/** What became of an edit of the configuration. */
export interface ConfigEdit extends ConfiguredValue {
  /** Whether the file is another now. */
  isChanged: boolean;
  /** What it said before. */
  before?: Json;
}

/** The settings, as a tool reaches them. */
export interface SettingsService {
  /** Every setting that has a value. */
  values(): Promise<SettingValues>;
  /** The value of one, if it has one. Throws for an unknown name. */
  get(name: string): Promise<SettingValue | undefined>;
  /** Sets one, or takes its value away for `undefined`; returns the value before. */
  set(name: string, value: SettingValue | undefined): Promise<SettingValue | undefined>;
  /**
   * What the files of the configuration say at a JSON pointer, each file that is there.
   * Throws for a pointer into something that a configuration does not have.
   */
  configured(pointer: string): Promise<ConfiguredValue[]>;
  /**
   * Sets what a JSON pointer into the configuration leads to, or takes it away for
   * `undefined`. Throws where that would be no configuration, with everything that is wrong.
   */
  configure(pointer: string, value: Json | undefined): Promise<ConfigEdit>;
  /** What the caller's environment holds under the variable that a setting names; never to be shown. */
  secret(setting: string): Promise<string | undefined>;
}

/** How a background task stands. */
export interface TaskReport {
  /** What names it. */
  id: string;
  /** The tool that it is a call of. */
  tool: string;
  /** What it does, for people. */
  title: string;
  /**
   * `lost`: the process that looked after it ended without a word, and its programs with it.
   */
  status: "running" | "completed" | "failed" | "timed_out" | "stopped" | "lost";
  /** When it started, in milliseconds since 1970. */
  startedAt: number;
  /** When it ended; not there while it runs, or when that is not known. */
  endedAt?: number;
  /** What the call was answered with in the end; without it, the output so far. */
  text: string;
  /** The file that holds its output. */
  outputFile: string;
}

/** Background tasks, by their ids. */
export interface TasksService {
  /** How the task stands once it has ended or `waitMs` have passed. Throws for an unknown id. */
  read(id: string, waitMs: number): Promise<TaskReport>;
  /** Ends the task, if it has not ended. Throws for an unknown id. */
  stop(id: string): Promise<TaskReport>;
}

/** A question with two to four answers to choose from. */
export interface Question {
  /** The question. */
  question: string;
  /** A word or two that stand for it, at most 12 characters. */
  header: string;
  /** What can be chosen. */
  options: readonly { label: string; description: string; preview?: string | undefined }[];
  /** Whether several may be chosen. */
  multiSelect: boolean;
}

/** A call that a tool makes. */
export interface InnerCall {
  /** The tool's name. */
  name: string;
  /** Its arguments. */
  arguments: Record<string, unknown>;
  /** The session that it belongs to; the caller's own where nothing is said. */
  session?: string;
}

/** What such a call was answered with. */
export interface InnerResult {
  /** Text and image blocks. */
  content: ContentBlock[];
  /** Whether it failed. */
  isError: boolean;
}

/** A tool that can be called. */
export interface InnerTool {
  /** The name to call, as the models' APIs take it. */
  name: string;
  /** What it does. */
  description: string;
  /** The JSON Schema of its arguments. */
  inputSchema: Record<string, unknown>;
  /** Whether it changes nothing, so that several calls may run at the same time. */
  readOnly: boolean;
}

/** A resource of an MCP server, or a template of such. */
export interface McpResource {
  /** The server. */
  server: string;
  /** Its address, or what addresses are made of (RFC 6570). */
  uri: string;
  /** Whether `uri` is a template. */
  isTemplate: boolean;
  /** Its name. */
  name: string;
  /** What it is. */
  description?: string;
  /** Its type. */
  mimeType?: string;
}

/** Resources of MCP servers, and what there is to say of those that are missing. */
export interface McpResources {
  /** The resources and templates. */
  resources: McpResource[];
  /** Which servers could not be asked, and where more was left out, in words. */
  notes: string[];
}

/** The MCP servers that the configuration names. Each throws `unavailable` for one that does not answer. */
export interface Mcp {
  /** Calls a tool of a server. Throws `tool_failed` for an answer that is an error. */
  call(server: string, tool: string, args: Record<string, unknown>): Promise<ToolOutput>;
  /** The resources of a server, or of all that the flags grant. Throws for one that is not configured. */
  resources(server?: string): Promise<McpResources>;
  /** The contents of one resource. */
  read(server: string, uri: string): Promise<ResourceContents[]>;
}
