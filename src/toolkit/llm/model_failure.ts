import { NamedError } from "../../base/errors.ts";
import { isRetryable, retryableStatus } from "../../base/retryable.ts";

/** A failed request to a model, before the decision on a retry. */
export class ModelFailure extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "ModelFailure";

  /**
   * Takes a description of the failure, as the end of a sentence, and whether the same request may
   * succeed later. `waitMs` is the wait that the server asks for, in milliseconds, `status` an HTTP
   * status that is not 200, and `said` the server's message, unchanged: it may contain the key.
   */
  constructor(
    message: string,
    readonly details: {
      again: boolean;
      waitMs?: number | undefined;
      status?: number;
      said?: string;
    },
  ) {
    super(message);
  }
}

/** Returns whether a request with this status should be retried. Overloaded models answer 500 or 529. */
export function isRetryableStatus(status: number): boolean {
  return isRetryable(retryableStatus(status)) || status === 500 || status === 529;
}
