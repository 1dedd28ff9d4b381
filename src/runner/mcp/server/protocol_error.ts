import { CallError, type FailureCode } from "../../../base/errors.ts";
import { JsonRpcError } from "../json_rpc_error.ts";

/** The failures whose reason lies in the request. */
const OF_THE_REQUEST: readonly FailureCode[] = [
  ...["invalid_arguments", "permission_denied", "tool_failed", "tool_not_found"] as const,
];

/** Returns the error of the protocol for the failure of a request that is no tool call. */
export function protocolError(error: unknown, data: Record<string, unknown> = {}): unknown {
  if (!(error instanceof CallError)) return error;
  const { code, message, details } = error;
  // By its data, which is the address alone, a client recognises a resource that does not exist.
  const isMissing = "uri" in data && details["systemError"] === "ENOENT";
  return new JsonRpcError(
    OF_THE_REQUEST.includes(code) ? "invalidParams" : "internalError",
    message,
    isMissing ? data : { ...data, ...details, code },
  );
}
