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

/** The longest answer, in characters of its content. */
const MAX_ANSWER = 8 * 1024 * 1024;

/** Counts the characters of an answer. */
export class AnswerSize {
  #size = 0;

  /** Counts a text and returns it. Throws {@link ModelFailure} over 8 Mi characters in all. */
  count(text: string): string {
    this.#size += text.length;
    if (this.#size <= MAX_ANSWER) return text;
    const message = `the answer is longer than ${MAX_ANSWER} characters`;
    throw new ModelFailure(message, { again: false });
  }
}
