import { NamedError } from "../../base/errors.ts";

/** A failed request to a model, before the decision on a retry. */
export class ModelFailure extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "ModelFailure";
  /** True if the same request may succeed later. */
  readonly again: boolean;
  /** The wait that the server asks for, in milliseconds. */
  readonly waitMs: number | undefined;
  /** The HTTP status, if it is not 200. */
  readonly status: number | undefined;
  /** The server's message, unchanged: it may contain the key. */
  readonly said: string | undefined;

  /** Takes a description of the failure, as the end of a sentence. */
  constructor(
    message: string,
    { again, waitMs, status, said }: {
      again: boolean;
      waitMs?: number | undefined;
      status?: number;
      said?: string;
    },
  ) {
    super(message);
    this.again = again;
    this.waitMs = waitMs;
    this.status = status;
    this.said = said;
  }
}

/** Returns whether a request with this status should be retried. */
export function isRetryableStatus(status: number): boolean {
  return [429, 500, 502, 503, 504, 529].includes(status);
}
