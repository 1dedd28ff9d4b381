import type { IncomingCall, Repair } from "../call/call.ts";

/** The dialects of models' APIs. */
export type ModelDialectName = "openai" | "responses" | "anthropic";

/** The forms that a result can be printed in; `same` is the form that the call came in. */
export type Format = "same" | "mcp" | ModelDialectName | "text";

/** The id of a JSON-RPC request, which its response repeats. */
export type RequestId = string | number | null;

/** What came in: how to understand it, and what its answer has to be like. */
export interface Request {
  /** The dialect that it is in. */
  dialect: "mcp" | "json-rpc" | ModelDialectName;
  /** Whether the calls came in a message or list, so that their answers go into one too. */
  isMessage: boolean;
  /** What names a JSON-RPC request. */
  rpcId?: RequestId;
  /** Its calls, at least one, or `"list"` for the catalogue. Rejects with `malformed_call`. */
  read(): Promise<IncomingCall[] | "list">;
}

/** How a request is read. */
export interface Reading {
  /** Whether a JSON text of arguments may be repaired. */
  repairJson?: boolean;
  /** Whether a call is taken as it is given, and not repaired. */
  strict?: boolean;
  /** What was repaired in the JSON text that all of it came in. */
  repairs?: readonly Repair[];
}
