import { decodeInput, malformed, MAX_INPUT_BYTES } from "../dialect/json_text.ts";
import type { Request } from "../dialect/incoming.ts";
import { requestOf } from "../dialect/request.ts";
import type { Repair } from "../call/call.ts";
import { parseExactJson } from "../../base/json/exact_json.ts";
import type { Process } from "./command.ts";
import type { CommandLine } from "./parse.ts";
import { readStream } from "./streams.ts";

/**
 * Reads the request from stdin, or from the operands NAME and JSON. With NAME only, stdin has the
 * arguments. With `--repair-json`, common mistakes in the JSON text are corrected. Rejects with
 * `malformed_call`.
 */
export async function readRequest(
  operands: readonly string[],
  process: Process,
  { options }: CommandLine,
): Promise<Request> {
  const repairJson = options.has("repair-json");
  const { value, repairs } = await readInput(operands, process, { repairJson });
  return await requestOf(value, { repairJson, repairs, strict: options.has("strict") });
}

/** A JSON value and the repairs of its text. */
interface Input {
  value: unknown;
  repairs: Repair[];
}

async function readInput(
  [name, json]: readonly string[],
  process: Process,
  { repairJson }: { repairJson: boolean },
): Promise<Input> {
  if (name === undefined) return await parse(await stdinOf(process), repairJson);
  const bytes = json === undefined
    ? process.stdin.isTerminal() ? new Uint8Array() : await stdinOf(process)
    : new TextEncoder().encode(json);
  const isBlank = bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
  if (isBlank && json === undefined) return { value: { name }, repairs: [] };
  const { value, repairs } = await parse(bytes, repairJson);
  return { value: { name, arguments: value }, repairs };
}

async function parse(bytes: Uint8Array, repairJson: boolean): Promise<Input> {
  const text = decodeInput(bytes);
  try {
    return { value: parseExactJson(text), repairs: [] };
  } catch (error) {
    if (repairJson) {
      const { repairedJson } = await import("../dialect/repair_json.ts");
      const mended = repairedJson(text);
      if (mended) return { ...mended, repairs: [{ path: "", rule: "json_syntax" }] };
    }
    throw malformed(`the input ${(error as Error).message}`);
  }
}

async function stdinOf({ stdin }: Process): Promise<Uint8Array> {
  try {
    return await readStream(stdin, MAX_INPUT_BYTES);
  } catch (error) {
    throw malformed(`stdin cannot be read: ${(error as Error).message}`);
  }
}
