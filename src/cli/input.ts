import { malformed, MAX_INPUT_BYTES, parseJson } from "../dialect/json_text.ts";
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
    return parseJson(await stdinOf(process));
  }
  if (json !== undefined) {
    return { name, arguments: parseJson(new TextEncoder().encode(json)) };
  }
  if (process.stdin.isTerminal()) return { name };
  const bytes = await stdinOf(process);
  const isBlank = bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
  return isBlank ? { name } : { name, arguments: parseJson(bytes) };
}

async function stdinOf({ stdin }: Process): Promise<Uint8Array> {
  try {
    return await readAll(stdin, MAX_INPUT_BYTES);
  } catch (error) {
    throw malformed(`stdin cannot be read: ${(error as Error).message}`);
  }
}
