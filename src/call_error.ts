import type { ContentBlock } from "./registry/content.ts";

/** A kind of failure, as it stands in `_meta["toolcall/error"].code`. */
export type FailureCode =
  | "tool_failed"
  | "malformed_call"
  | "tool_not_found"
  | "invalid_arguments"
  | "permission_denied"
  | "timeout"
  | "cancelled"
  | "unavailable"
  | "internal";

/** A failure of a call, with its kind. */
export class CallError extends Error {
  /** Its kind. */
  override name = "CallError";
  /**
   * Takes the kind, a text that a person can act on, data for programs, and, where it is
   * more than the text, what a model is to read of it.
   */
  constructor(
    readonly code: FailureCode,
    message: string,
    readonly details: Record<string, unknown> = {},
    readonly content?: ContentBlock[],
  ) {
    super(message);
  }
}

/**
 * Whether a throw is a {@link CallError}. By its name: in the bundle a module that
 * is loaded late has a class of its own.
 */
export function isCallError(error: unknown): error is CallError {
  return error instanceof Error && error.name === "CallError";
}

/**
 * The failure that a tool's throw is: `tool_failed`, with the data of its
 * `cause`, or `permission_denied` when the runtime refused it.
 */
export function toolFailure(error: unknown): CallError {
  if (isCallError(error)) return error;
  if (error instanceof Deno.errors.NotCapable) {
    // The runtime's advice ends in a flag of the same name as ours.
    const message = error.message.replace(
      /, run again with the (--allow-[a-z]+) flag$/,
      "; needs $1",
    );
    return new CallError("permission_denied", message);
  }
  if (!(error instanceof Error)) {
    return new CallError("tool_failed", String(error));
  }
  const { cause } = error;
  const isData = typeof cause === "object" && cause !== null &&
    !(cause instanceof Error);
  return new CallError(
    "tool_failed",
    error.message,
    isData ? { ...cause } : {},
  );
}
