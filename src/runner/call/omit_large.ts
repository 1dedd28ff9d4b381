import { isObject } from "../../base/json/is_object.ts";
import { pointerOf } from "../../base/json/json_pointer.ts";
import type { CallResult } from "./failure.ts";

/** The largest field of structured data, in bytes of its JSON text. */
const MAX_FIELD_BYTES = 64 * 1024;

/**
 * Removes the fields larger than 64 KiB from the structured data of a result, and adds their JSON
 * pointers as `_meta["toolcall/omitted"]`. An object stays, without its own large fields. The text
 * of the result stays complete.
 */
export function omitLargeFields(result: CallResult): CallResult {
  const { structuredContent } = result;
  if (structuredContent === undefined) return result;
  const omitted: string[] = [];
  const left = leftOf(structuredContent, "", omitted);
  if (omitted.length === 0) return result;
  const _meta = { ...result._meta, "toolcall/omitted": omitted };
  return { ...result, structuredContent: left, _meta };
}

function leftOf(
  object: Record<string, unknown>,
  path: string,
  omitted: string[],
): Record<string, unknown> {
  const entries = Object.entries(object).flatMap(([key, value]) => {
    if (!isLarge(value)) return [[key, value]];
    const at = path + pointerOf([key]);
    if (isObject(value)) return [[key, leftOf(value, at, omitted)]];
    omitted.push(at);
    return [];
  });
  return Object.fromEntries(entries);
}

function isLarge(value: unknown): boolean {
  // A string has at least as many bytes as characters, so only a shorter one is measured.
  if (typeof value === "string" && value.length > MAX_FIELD_BYTES) return true;
  const json = JSON.stringify(value) ?? "";
  return new TextEncoder().encode(json).length > MAX_FIELD_BYTES;
}
