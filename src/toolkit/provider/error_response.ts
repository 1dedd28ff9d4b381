import { isObject } from "../../base/json/is_object.ts";
import { parseJson } from "../../base/json/parse_json.ts";

/**
 * The error message of a server: the text in the usual places of `answer`, which is JSON or its
 * text, or else all of it.
 */
export function serverMessage(answer: unknown): string {
  const value = typeof answer === "string" ? parseJson(answer) ?? answer : answer;
  return messageIn(value) ?? (typeof value === "string" ? value : JSON.stringify(value) ?? "");
}

function messageIn(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { error, message, detail } = value;
  for (const each of [error, message, detail]) {
    if (typeof each === "string" && each !== "") return each;
    const inner = messageIn(each);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
