import { NamedError } from "../../base/errors.ts";

/** The codes that requests are refused with: of JSON-RPC 2.0, section 5.1, and the last one of MCP. */
export const REFUSAL_CODES = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  missingCapability: -32021,
} as const;

/**
 * An error response of JSON-RPC. The MCP package sends the code, the message and the data of an error
 * that a handler throws, whatever its class. So a module that refuses requests does not need the
 * package, of which the bundle would hold another copy for each late module.
 */
export class JsonRpcError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "JsonRpcError";
  /** The code. */
  readonly code: number;

  /** Takes the kind of refusal, the message, and details for programs. */
  constructor(kind: keyof typeof REFUSAL_CODES, message: string, readonly data?: unknown) {
    super(message);
    this.code = REFUSAL_CODES[kind];
  }
}
