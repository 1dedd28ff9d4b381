/**
 * Marks a failure: the server has refused a request because it does not know the session any more. The
 * request was not begun, and can be sent again in a new session.
 */

import { CallError } from "../../../base/errors.ts";

/** The mark, in the details of a failure. */
const MARK = "lostSession";

/** The same failure with the mark. */
export function markLostSession({ code, message, details }: CallError): CallError {
  return new CallError(code, message, { ...details, [MARK]: true });
}

/** Whether an error has the mark. */
export function isLostSession(error: unknown): error is CallError {
  return error instanceof CallError && error.details[MARK] === true;
}

/** The same failure without the mark, for the caller. */
export function withoutMark({ code, message, details: { [MARK]: _, ...rest } }: CallError) {
  return new CallError(code, message, rest);
}
