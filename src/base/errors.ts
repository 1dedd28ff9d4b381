/** The errors of the program. */

import type { ContentBlock } from "./content.ts";

/**
 * An error that `instanceof` recognises by its name. The built program can hold the same class in
 * several files, so the class itself would not do.
 */
export abstract class NamedError extends Error {
  /** The name of the errors of a class; each subclass sets its own, because names are minified. */
  static readonly errorName: string;

  /** Takes the text of the error. */
  constructor(message?: string) {
    super(message);
    this.name = new.target.errorName;
  }

  /** Whether `value` is an error of this class, or of the same class in another file. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === this.errorName;
  }
}

/** The command line is wrong: its message goes to stderr, and the exit code is 2. */
export class UsageError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "UsageError";
}

/** A kind of failure, as it is in `_meta["toolcall/error"].code`. */
export type FailureCode =
  | "tool_failed"
  | "malformed_call"
  | "tool_not_found"
  | "invalid_arguments"
  | "permission_denied"
  | "timeout"
  | "cancelled"
  | "interrupted"
  | "unavailable"
  | "internal";

/** A failure of a call, with its kind. */
export class CallError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "CallError";
  /**
   * Takes the kind, a message that a user can act on, data for programs, and, where it is
   * more than the message, the content for a model.
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
 * The failure that a tool's throw is: `tool_failed`, with the data of its
 * `cause`, or `permission_denied` when the runtime refused it.
 */
export function toolFailure(error: unknown): CallError {
  if (error instanceof CallError) return error;
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
  const failure = new CallError("tool_failed", error.message, isData ? { ...cause } : {});
  // `--verbose` prints the stack of the tool's own error.
  failure.cause = error;
  return failure;
}
