import type { Completion, ModelRequest } from "./messages.ts";
import type { ModelFailure } from "./model_failure.ts";

/** Puts a completion together from the events of a stream, or from one document. */
export interface CompletionBuilder {
  /** True if the server has given the reason why the answer ends. */
  readonly finished: boolean;
  /** True if the server has said that nothing follows. */
  readonly isDone: boolean;
  /** Takes the next event, or a whole answer. Throws {@link ModelFailure} if it reports an error. */
  add(event: unknown): void;
  /** The completion. Throws {@link ModelFailure} if there is no answer. */
  completion(): Completion;
}

/** An API of models, for the requests of one client. */
export interface ModelApi {
  /** Whether the result of a tool may contain images. */
  readonly takesImages: boolean;
  /** The URL of requests, from the base URL of the endpoint. */
  url(base: string): string;
  /** The header fields that identify the user and the version; `key` may be empty. */
  headers(key: string): Record<string, string>;
  /** The body of a request for model `id`, as data. */
  body(id: string, request: ModelRequest): unknown;
  /** A builder for the answer to one request. */
  newBuilder(): CompletionBuilder;
  /** Changes later requests if the server refused an option of this one. Returns whether it did. */
  adapt(failure: ModelFailure): boolean;
}
