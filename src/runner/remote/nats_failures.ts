/** Makes failures of calls from the errors of the NATS library. No other error leaves this directory. */

import { JetStreamApiError, JetStreamError } from "@nats-io/jetstream";
import { errors } from "@nats-io/nats-core";
import { CallError } from "../../base/errors.ts";
import { reasonOf } from "./connection.ts";

/** The classes of the library's errors. */
const CLASSES: readonly (new (...given: never[]) => Error)[] = [
  ...Object.values(errors),
  JetStreamApiError,
  JetStreamError,
];

/** Whether an error comes from the NATS library. */
export function isNatsError(error: unknown): boolean {
  return CLASSES.some((each) => error instanceof each);
}

/** Whether the server does not let this user do what failed. */
export function isPermissionError(error: unknown): boolean {
  return /permissions violation/i.test((error as Error).message);
}

/** Returns the failure for an error of the NATS library, and every other error as it is. */
export function natsFailure(error: unknown): unknown {
  if (!isNatsError(error)) return error;
  const reason = reasonOf(error);
  return isPermissionError(error)
    ? new CallError("permission_denied", `The NATS server refuses a request: ${reason}`)
    : new CallError("unavailable", `A request to the NATS server failed: ${reason}`);
}

/** Returns the result of `run`. An error of the NATS library becomes a `CallError`. */
export async function withNatsFailures<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw natsFailure(error);
  }
}
