/**
 * A number of a JSON text that JavaScript would change, such as an integer beyond 2^53. It is an
 * object of the engine that `JSON.stringify` writes as the text of the number.
 *
 * @see https://tc39.es/proposal-json-parse-with-source/
 */
export interface InexactNumber {
  /** The number as the JSON text has it. */
  readonly rawJSON: string;
}

/** Functions of JSON that the type library does not declare yet. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(source: string): InexactNumber;
  isRawJSON(value: unknown): value is InexactNumber;
};

/** Makes the number of a text in the form of JSON. Throws a `SyntaxError` for any other text. */
export const inexactNumber: (source: string) => InexactNumber = rawJSON;

/** Whether a value is an {@link InexactNumber}. */
export const isInexactNumber: (value: unknown) => value is InexactNumber = isRawJSON;

/** An id in JSON, which its answer repeats as it was written. */
export type JsonId = string | number | InexactNumber;

/** Returns whether a value is an id of any type. */
export function isJsonId(value: unknown): value is JsonId {
  return typeof value === "string" || typeof value === "number" || isInexactNumber(value);
}
