/** Calls in the text of a model, as chat templates teach it to write them (`--parse`). */

import { repeatedKey } from "../../base/json/duplicate_key.ts";
import { pointerOf } from "../../base/json/json_pointer.ts";
import { assistantMessage } from "./assistant_message.ts";
import type { Reading, TextForm } from "./incoming.ts";
import { malformed } from "./mcp.ts";
import { readPythonCalls } from "./python_call.ts";
import { withoutReasoning } from "./reasoning.ts";
import { parseInput } from "./request.ts";

/** The calls in a text, as values in MCP's form of a call. */
export interface TextCalls {
  /** The calls, in order. */
  calls: unknown[];
  /** A key that an object in one of them has twice, as a JSON pointer. */
  duplicateKey?: string | undefined;
}

/** A reader of one form. */
type TextParser = (text: string, reading: Reading) => Promise<TextCalls>;

const parsers: Readonly<Record<Exclude<TextForm, "auto">, TextParser>> = {
  // Hermes, Qwen 2.5 and others: the last closing tag may be missing.
  async hermes(text, reading) {
    const found = text.matchAll(/<tool_call>([^]*?)(?:<\/tool_call>|(?=<tool_call>)|$)/g);
    const parsed = [];
    for (const [, json] of found) parsed.push(await parseInput(json!.trim(), reading));
    const { duplicateKey } = parsed.find((each) => each.duplicateKey !== undefined) ?? {};
    return { calls: parsed.map(({ value }) => value), duplicateKey };
  },

  // Qwen 3 Coder: every value is a string, which the repairs turn into the type of the schema.
  qwen(text) {
    const calls = text.matchAll(/<function=([^>\s]+)>([^]*?)(?:<\/function>|(?=<function=)|$)/g);
    let duplicateKey: string | undefined;
    const read = [...calls].map(([, name, body]) => {
      const found = body!.matchAll(
        /<parameter=([^>\s]+)>([^]*?)(?:<\/parameter>|(?=<parameter=)|$)/g,
      );
      const given = [...found].map(([, key, value]) => [key!, value!.replace(/^\n|\n$/g, "")]);
      const twice = repeatedKey(given.map(([key]) => key!));
      if (twice !== undefined) duplicateKey ??= pointerOf(["arguments", twice]);
      return { name, arguments: Object.fromEntries(given) };
    });
    return Promise.resolve({ calls: read, duplicateKey });
  },

  // Llama 3.2 and 4, and others.
  pythonic(text) {
    const calls = text.replaceAll(/<\|python_(?:start|end|tag)\|>|<\|eo[tm](?:_id)?\|>/g, "")
      .trim();
    if (calls === "") return Promise.resolve({ calls: [] });
    try {
      return Promise.resolve(readPythonCalls(calls));
    } catch (error) {
      throw malformed(`the text is not a list of calls as in Python: ${(error as Error).message}`);
    }
  },

  // Mistral: a list in JSON, or the name and the arguments of each call.
  async mistral(text, reading) {
    const calls: unknown[] = [];
    let firstDuplicate: string | undefined;
    for (const part of text.split("[TOOL_CALLS]").slice(1)) {
      const named = /^\s*([\w.-]+)\s*(?:\[CALL_ID\]([\w-]+))?\s*(?:\[ARGS\])?\s*(\{[^]*)$/.exec(
        part,
      );
      const json = (named?.[3] ?? part).replace(/<\/s>\s*$/, "").trim();
      const { value, duplicateKey } = await parseInput(json, reading);
      firstDuplicate ??= duplicateKey;
      if (named === null) calls.push(...Array.isArray(value) ? value : [value]);
      else calls.push({ ...(named[2] && { id: named[2] }), name: named[1], arguments: value });
    }
    return { calls, duplicateKey: firstDuplicate };
  },
};

/** The marks of the calls of each form, in the order in which a text is compared with them. */
const MARKS: Readonly<Record<Exclude<TextForm, "auto">, RegExp>> = {
  mistral: /\[TOOL_CALLS\]/,
  qwen: /<function=[^>\s]+>/,
  hermes: /<tool_call>/,
  pythonic: /[A-Za-z_][\w.-]*\(/,
};

/** A list as in Python anywhere in a text. A call without brackets also occurs in prose. */
const PYTHON_LIST = /\[\s*[A-Za-z_][\w.-]*\(/;

/** The beginning of a list as in Python. Nothing precedes it, and its strings can have any marks. */
const PYTHON_START = /^\s*(?:<\|python_(?:start|tag)\|>)?\s*\[\s*[A-Za-z_][\w.-]*\(/;

/** The form that a text has by its marks. */
function formOf(text: string): Exclude<TextForm, "auto"> | undefined {
  const marked = (["mistral", "qwen", "hermes"] as const).find((form) => MARKS[form].test(text));
  return marked ?? (PYTHON_START.test(text) ? "pythonic" : undefined);
}

/**
 * Returns the calls in a model's text, as values in MCP's form of a call. Text around the calls is
 * ignored, except for `pythonic`. Calls in the reasoning of the model are ignored too. An assistant
 * message in JSON stands for the text of its content. Rejects with `malformed_call`, also if there is
 * no call.
 */
export async function callsInText(
  input: string,
  { textForm = "auto", ...reading }: Reading,
): Promise<TextCalls> {
  const whole = contentIn(input) ?? input;
  const isList = PYTHON_START.test(whole) &&
    (textForm === "auto" ? formOf(whole) : textForm) === "pythonic";
  const text = isList ? whole : withoutReasoning(whole);
  const form = textForm === "auto" ? formOf(text) : textForm;
  const marks = textForm === "auto"
    ? Object.values({ ...MARKS, pythonic: PYTHON_LIST })
    : [MARKS[textForm]];
  const isMarked = (part: string) => marks.some((mark) => mark.test(part));
  if (isMarked(whole) && !isMarked(text)) {
    throw malformed("the text has a call only in the reasoning of the model, which is not run");
  }
  if (form === undefined) {
    throw malformed(`the text has no call in a known form (${Object.keys(parsers).join(", ")})`);
  }
  const found = await parsers[form](text, reading);
  if (found.calls.length === 0) throw malformed(`the text contains no call in the form ${form}`);
  return found;
}

function contentIn(input: string): string | undefined {
  if (!/^\s*\{/.test(input)) return undefined;
  try {
    const content = assistantMessage(JSON.parse(input) as unknown)?.["content"];
    return typeof content === "string" ? content : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
