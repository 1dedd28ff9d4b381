import { CallError } from "../../base/errors.ts";
import type { Repair } from "../call/call.ts";
import { parseExactJson } from "../../base/json/exact_json.ts";
import { quote } from "../../base/text/quote.ts";
import type { Reading } from "./incoming.ts";

/** The arguments of a call, and what had to be repaired to read them. */
export interface ReadArguments {
  /** Their value, of any type. */
  value: unknown;
  /** The repairs, in order. */
  repairs?: readonly Repair[];
}

/**
 * Parses the JSON text of the arguments of the tool `name`. An empty text is `{}`. Rejects with
 * `malformed_call` for invalid JSON that cannot or may not be repaired.
 */
export async function argumentsInText(
  text: string,
  name: string,
  { repairJson = false }: Reading,
): Promise<ReadArguments> {
  if (text.trim() === "") return { value: {} };
  try {
    return { value: parseExactJson(text) };
  } catch (error) {
    const why = (error as Error).message;
    if (repairJson) {
      const { repairedJson } = await import("./repair_json.ts");
      const mended = repairedJson(text);
      if (mended) return { ...mended, repairs: [{ path: "", rule: "json_syntax" }] };
    }
    throw new CallError(
      "malformed_call",
      `Cannot read the arguments of ${quote(name)}: their text, ${quote(text, 80)}, ${why}; ` +
        'expected one JSON object such as {"path":"README.md"}',
    );
  }
}
