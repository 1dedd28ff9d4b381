import { MAX_INPUT_BYTES, parseJson } from "../dialect/json_text.ts";
import type { Process } from "./command.ts";
import { readAll } from "./streams.ts";

/**
 * What the caller handed over, as a JSON value: the whole of stdin, or with a
 * NAME the call of that tool with the arguments of the second operand or of
 * stdin. Throws `malformed_call`.
 */
export async function readInput(
  operands: readonly string[],
  process: Process,
): Promise<unknown> {
  const [name, json] = operands;
  if (name === undefined) {
    return parseJson(await readAll(process.stdin, MAX_INPUT_BYTES));
  }
  if (json !== undefined) {
    return { name, arguments: parseJson(new TextEncoder().encode(json)) };
  }
  if (process.stdin.isTerminal()) return { name };
  const bytes = await readAll(process.stdin, MAX_INPUT_BYTES);
  const isBlank = bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
  return isBlank ? { name } : { name, arguments: parseJson(bytes) };
}
