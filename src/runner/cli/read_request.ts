import { UsageError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import {
  type BashReading,
  type Reading,
  type Request,
  type TextForm,
  textForms,
} from "../dialect/incoming.ts";
import { malformed } from "../dialect/mcp.ts";
import {
  decodeInput,
  MAX_INPUT_BYTES,
  parseInput,
  refuseDuplicate,
  requestOf,
} from "../dialect/request.ts";
import { readStream, type Source } from "./streams.ts";

/** Whether an operand is a call in JSON. No tool has a name that begins so. */
export function isCallText(operand: string | undefined): boolean {
  return operand !== undefined && /^\s*[{[]/.test(operand);
}

/**
 * Reads the request from stdin, from one operand with a call in JSON, or from the operands NAME and
 * JSON. With NAME only, stdin has the arguments. With `--repair-json`, common mistakes in the JSON text
 * are corrected. Rejects with `malformed_call`.
 */
export async function readRequest(
  operands: readonly string[],
  { stdin }: { stdin: Source },
  { options }: { options: ReadonlyMap<string, string> },
  bash?: BashReading,
): Promise<Request> {
  const reading = { ...readingOf({ options }), ...(bash && { bash }) };
  const isCall = isCallText(operands[0]);
  if (isCall && operands.length > 1) {
    const other = quote(operands[1]!, 80);
    throw new UsageError(`Unexpected argument ${other} after a call in JSON; put it into the JSON`);
  }
  const [name, json] = isCall ? [undefined, operands[0]] : operands;
  const bytes = json !== undefined
    ? new TextEncoder().encode(json)
    : name !== undefined && stdin.isTerminal()
    ? new Uint8Array()
    : await readInput(stdin);
  const isBlank = bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
  if (name !== undefined && isBlank) {
    return await requestOf({ name }, { ...reading, repairs: [] });
  }
  if (name === undefined && reading.textForm !== undefined) {
    const { callsInText } = await import("../dialect/model_text.ts");
    const { callList } = await import("../dialect/model_apis.ts");
    const { calls, duplicateKey } = await callsInText(decodeInput(bytes), reading);
    return refuseDuplicate(callList(calls, reading), duplicateKey);
  }
  const { value, ...parsed } = await parseInput(decodeInput(bytes), reading);
  const request = name === undefined ? value : { name, arguments: value };
  return await requestOf(request, { ...reading, ...parsed });
}

/** How the flags want calls to be read. */
export function readingOf({ options }: { options: ReadonlyMap<string, string> }): Reading {
  const form = options.get("parse");
  return {
    repairJson: options.has("repair-json"),
    strict: options.has("strict"),
    ...(form !== undefined && { textForm: textForm(form) }),
  };
}

/** The form of `--parse`. A model's text is never taken for a call without the flag. */
function textForm(given: string): TextForm {
  const form = textForms.find((each) => each === given);
  if (form === undefined) {
    throw new UsageError(`Invalid --parse=${given}; available: ${textForms.join(", ")}`);
  }
  return form;
}

/** Reads all of stdin. Rejects with `malformed_call`. */
export async function readInput(stdin: Source): Promise<Uint8Array> {
  try {
    return await readStream(stdin, MAX_INPUT_BYTES);
  } catch (error) {
    throw malformed(`stdin cannot be read: ${(error as Error).message}`);
  }
}
