import { quote } from "../../base/text/quote.ts";
import { nearest } from "../../base/text/nearest.ts";

/** The number of keys that a message shows, and the length of each, in characters. */
const [MAX_SHOWN, MAX_KEY_LENGTH] = [5, 80];

/** Keys of the calls in an assistant's message. */
const LISTS = ["tool_calls", "toolCalls", "function_call", "functionCalls"];

/** Keys that are written for the name of a call. */
const NAMES = ["tool", "tool_name", "toolName", "function_name"];

/**
 * The reason and the data of the error for a call with unknown keys, or with several keys that have
 * arguments. `others` are the keys outside of the shape, and `key` is the shape's key of the
 * arguments. The reason suggests a similar key.
 */
export function misplacedArguments(
  others: readonly string[],
  { key, synonyms = [], envelope, hasKey, hasName }: {
    key: string;
    synonyms?: readonly string[];
    envelope: readonly string[];
    hasKey: boolean;
    hasName: boolean;
  },
): [why: string, details: Record<string, unknown>] {
  const lacksName = !hasName && envelope.includes("name");
  const list = lacksName ? others.find((each) => LISTS.includes(each)) : undefined;
  if (list !== undefined) {
    const why = `the key ${quote(list)} belongs to an assistant message; pass its list, ` +
      'or add "role":"assistant"';
    return [why, { keys: cutKeys(others) }];
  }
  const name = lacksName ? others.find((each) => NAMES.includes(each)) : undefined;
  if (name !== undefined) {
    const why = `the key ${quote(name)} is not understood (did you mean "name"?)`;
    return [why, { keys: cutKeys(others), nearest: "name" }];
  }
  const unknown = others.filter((each) => !synonyms.includes(each));
  const holding = hasKey ? [key, ...others] : others;
  if (unknown.length === 0 && holding.length > 1) {
    const why = `the keys ${listKeys(holding)} hold arguments, but a call has only one such key`;
    return [why, { keys: cutKeys(holding) }];
  }
  const odd = unknown.length === 0 ? others : unknown;
  const near = hasKey ? undefined : nearest(odd[0]!, [key]);
  const are = odd.length === 1 ? `the key ${listKeys(odd)} is` : `the keys ${listKeys(odd)} are`;
  const fix = near === undefined
    ? `arguments belong under ${quote(key)}${hasKey ? " only" : ""}`
    : `did you mean ${quote(near)}?`;
  return [`${are} not understood (${fix})`, {
    keys: cutKeys(odd),
    ...(near !== undefined && { nearest: near }),
  }];
}

function listKeys(keys: readonly string[]): string {
  const names = cutKeys(keys).map((each) => quote(each)).join(", ");
  return keys.length > MAX_SHOWN ? `${names}, and ${keys.length - MAX_SHOWN} more` : names;
}

function cutKeys(keys: readonly string[]): string[] {
  return keys.slice(0, MAX_SHOWN).map((each) => each.slice(0, MAX_KEY_LENGTH));
}
