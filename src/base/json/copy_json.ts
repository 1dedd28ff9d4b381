import { isInexactNumber } from "./inexact_number.ts";

/** A deep copy of a JSON value. Unlike that of `structuredClone`, it keeps inexact numbers. */
export function copyJson<T>(value: T): T {
  return copied(value) as T;
}

function copied(value: unknown): unknown {
  if (typeof value !== "object" || value === null || isInexactNumber(value)) return value;
  if (Array.isArray(value)) return value.map(copied);
  // Assigning a key such as __proto__ would not make a property.
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copied(inner)]));
}
