import { isInexactNumber } from "./inexact_number.ts";

/** A part of a JSON value that JavaScript, or a text in UTF-8, cannot represent. */
export interface InexactValue {
  /** The keys and indexes that lead to it. */
  path: string[];
  /** Its fault, as the end of a sentence. */
  fault: string;
}

/** Returns the inexact numbers and the lone surrogates in a JSON value, also those in its keys. */
export function inexactValues(value: unknown): InexactValue[] {
  // Every call is checked, and the paths of its values cost more than the check.
  if (isExact(value)) return [];
  const found: InexactValue[] = [];
  const path: string[] = [];
  const add = (fault: string) => found.push({ path: [...path], fault });
  const visitAt = (key: string, inner: unknown) => {
    path.push(key);
    if (!key.isWellFormed()) add("has a lone surrogate in its name");
    visit(inner);
    path.pop();
  };
  const visit = (each: unknown) => {
    if (typeof each === "string") {
      if (!each.isWellFormed()) add("contains a lone surrogate");
    } else if (isInexactNumber(each)) {
      add(`is the number ${each.rawJSON.slice(0, 40)}, which cannot be represented exactly`);
    } else if (Array.isArray(each)) {
      for (let place = 0; place < each.length; place++) visitAt(String(place), each[place]);
    } else if (typeof each === "object" && each !== null) {
      for (const [key, inner] of Object.entries(each)) visitAt(key, inner);
    }
  };
  visit(value);
  return found;
}

/** Whether a value has no part that {@link inexactValues} finds. */
function isExact(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isExact);
  if (isInexactNumber(value)) return false;
  for (const key of Object.keys(value)) {
    if (!key.isWellFormed() || !isExact((value as Record<string, unknown>)[key])) return false;
  }
  return true;
}
