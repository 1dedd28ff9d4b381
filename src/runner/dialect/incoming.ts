import type { JsonId } from "../../base/json/inexact_number.ts";
import type { IncomingCall, Repair } from "../call/call.ts";

/** The dialects of models' APIs. */
export const modelDialects = [
  ...["openai", "responses", "anthropic", "gemini", "bedrock", "mistral", "ollama"] as const,
  ...["ai-sdk", "langchain", "function-call"] as const,
];

/** The name of a dialect of a model's API. */
export type ModelDialectName = (typeof modelDialects)[number];

/** The output formats of results. `same` is the dialect of the call. */
export type Format = "same" | "mcp" | ModelDialectName | "text";

/** The id of a JSON-RPC request. Its response repeats the id. */
export type RequestId = JsonId | null;

/** A request that was read, and the form of its answer. */
export interface Request {
  /** The dialect of the request. */
  dialect: "mcp" | "json-rpc" | ModelDialectName;
  /** Whether the calls came in a message or list. Their answers then form a list too. */
  isMessage: boolean;
  /** The id of a JSON-RPC request. */
  rpcId?: RequestId;
  /** Its calls, at least one, or `"list"` for the catalogue. Rejects with `malformed_call`. */
  read(): Promise<IncomingCall[] | "list">;
}

/** The forms of calls in a model's text. `auto` finds the form by its marks. */
export const textForms = ["hermes", "qwen", "pythonic", "mistral", "auto"] as const;

/** One of {@link textForms}. */
export type TextForm = (typeof textForms)[number];

/** How calls of the bash that Anthropic defines find their shell. */
export interface BashReading {
  /** The session of the flags. */
  session?: string | undefined;
  /** Whether the tool with the name `bash` is Bash, and has shells that stay. Never rejects. */
  hasSessions(): Promise<boolean>;
}

/** Options for reading a request. */
export interface Reading {
  /** Whether mistakes in the JSON text of arguments are corrected. */
  repairJson?: boolean;
  /** Whether calls are never repaired. */
  strict?: boolean;
  /** The form of the calls in a model's text. Without it, the input is JSON. */
  textForm?: TextForm;
  /** How calls of the bash that Anthropic defines find their shell. Without it, no shell stays. */
  bash?: BashReading;
  /** The repairs of the JSON text of the whole request. */
  repairs?: readonly Repair[];
  /** The JSON pointer of a key that an object in the JSON text has twice. No call of it is run. */
  duplicateKey?: string | undefined;
}

/** An input that was parsed. */
export interface ParsedInput {
  /** The value. */
  value: unknown;
  /** The repairs of its text. */
  repairs: readonly Repair[];
  /** The JSON pointer of a key that an object has twice. */
  duplicateKey?: string | undefined;
}
