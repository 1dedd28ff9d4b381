import { imageOf } from "../../base/block_image.ts";
import { isObject } from "../../base/json/is_object.ts";
import { blockText } from "../../base/block_text.ts";
import { argumentsOf, describeType, malformed, namedCall, shapes } from "./mcp.ts";
import {
  calledName,
  callId,
  findCalls,
  type ModelAnswer,
  type ModelCall,
  type ModelDialect,
} from "./model_dialect.ts";

/** The key of a call in a part: of the REST API, and of SDKs that write snake case. */
const KEYS = ["functionCall", "function_call"];

/**
 * Gemini: a part with a `functionCall`, the content or the list with such parts, or a whole
 * `GenerateContentResponse`. Parts of other kinds are ignored. Source: the reference of the Gemini
 * API, `Content` and `FunctionResponse`.
 */
export const gemini: ModelDialect = {
  find: (value) => findCalls(value, { isCall: isCallPart, listOf: partsOf, callOf }),
  renderOne: responsePart,
  renderAll: (answers) => ({ role: "user", parts: answers.map(responsePart) }),
};

function partsOf(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return undefined;
  const { candidates, parts } = value;
  if (!Array.isArray(candidates)) return Array.isArray(parts) ? parts : undefined;
  if (candidates.length > 1) {
    throw malformed(`the response has ${candidates.length} candidates; pass one of their contents`);
  }
  const [candidate] = candidates;
  return isObject(candidate) && isObject(candidate["content"])
    ? partsOf(candidate["content"])
    : undefined;
}

function isCallPart(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Object.hasOwn(value, "role") &&
    KEYS.some((key) => Object.hasOwn(value, key));
}

function callOf(part: Record<string, unknown>): ModelCall {
  const call = part[KEYS.find((key) => Object.hasOwn(part, key))!];
  const { id, name } = isObject(call) ? call : {};
  return {
    id: callId(id),
    name: calledName(name),
    async read(reading) {
      if (!isObject(call)) {
        throw malformed(`"functionCall" is ${describeType(call)}, not an object`);
      }
      const given = await argumentsOf(call, shapes.functionCallPart, reading);
      return await namedCall(name, given, { ...reading, takesText: false });
    },
  };
}

/** The response to a call is an object. Images follow in parts of their own. */
function responsePart({ id, name = "", result: { content, isError } }: ModelAnswer): unknown {
  const images = content.flatMap((block) => imageOf(block) ?? []);
  const text = content.filter((block) => imageOf(block) === undefined)
    .map((block) => blockText(block, "omitted: a response can contain only text and images"))
    .join("\n");
  return {
    functionResponse: {
      ...(id !== "" && { id }),
      name,
      response: isError ? { error: text } : { output: text },
      ...(images.length > 0 && { parts: images.map((inlineData) => ({ inlineData })) }),
    },
  };
}
