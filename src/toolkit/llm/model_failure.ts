import { NamedError } from "../../base/errors.ts";

/** A request to a model that did not succeed, before it is known whether it is sent again. */
export class ModelFailure extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "ModelFailure";
  /** Whether the same request may succeed later. */
  readonly again: boolean;
  /** For how long the server asks to wait first, in milliseconds. */
  readonly waitMs: number | undefined;
  /** The HTTP status, where it is not 200. */
  readonly status: number | undefined;
  /** The server's own words, as they came: a key may be in them. */
  readonly said: string | undefined;

  /** Takes what happened, as the end of a sentence. */
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

/** Whether a request that was answered with this status is worth another try. */
export function isPassing(status: number): boolean {
  return [429, 500, 502, 503, 504, 529].includes(status);
}
