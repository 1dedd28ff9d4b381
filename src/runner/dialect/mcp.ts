import { CallError } from "../../base/errors.ts";
import { isInexactNumber } from "../../base/json/inexact_number.ts";
import { isObject } from "../../base/json/is_object.ts";
import { quote } from "../../base/text/quote.ts";
import type { Repair, ToolCall } from "../call/call.ts";
import { meansNoArguments } from "./empty_arguments.ts";
import type { Reading } from "./incoming.ts";

/** Whether a value can only be MCP params: it has a name and no key of another dialect. */
export function isMcpParams(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "name") &&
    !["type", "role", "function", "object"].some((key) => Object.hasOwn(value, key));
}

/** The error for a call whose type no dialect has. */
export function unknownCallType(type: unknown): CallError {
  const which = type === undefined ? "without a type" : `of type ${shown(type)}`;
  return malformed(`calls ${which} are not understood`);
}

/**
 * Parses MCP's form of a call, `{"name", "arguments"}`. Outside of JSON-RPC, the forms of Gemini,
 * Llama, Cohere, Bedrock and LangChain are accepted too: they use another key for the arguments,
 * and arguments may be a JSON text. Rejects with `malformed_call` when the name is not a string,
 * when the arguments are neither absent nor an object, or when another key may have arguments.
 */
export async function parseMcpParams(
  value: unknown,
  { isJsonRpc = false, ...reading }: Reading & { isJsonRpc?: boolean } = {},
): Promise<ToolCall> {
  if (!isObject(value)) throw malformed(`the call is ${describeType(value)}`);
  const hasType = Object.hasOwn(value, "type");
  if (hasType && !isTypedCall(value)) throw unknownCallType(value["type"]);
  const shape = isJsonRpc ? shapes.params : hasType ? shapes.typed : shapes.bare;
  const given = await argumentsOf(value, shape, reading);
  return await namedCall(value["name"], given, { ...reading, takesText: !isJsonRpc });
}

/** Whether a value with a type is a call. One of the type `function` may be a definition. */
function isTypedCall({ type, ...rest }: Record<string, unknown>): boolean {
  return type === "tool_call" || type === "function" && Object.hasOwn(rest, "arguments");
}

/** A call of OpenAI's, whose arguments are JSON text. Rejects with `malformed_call`. */
export async function textCall(
  value: Record<string, unknown>,
  shape: CallShape,
  reading: Reading,
): Promise<ToolCall> {
  const given = await argumentsOf(value, shape, reading);
  return await namedCall(value["name"], given, { ...reading, takesText: true });
}

/**
 * The call of that name, whose arguments may be a JSON text if `takesText`. Rejects with
 * `malformed_call` for a name or arguments of another type.
 */
export async function namedCall(
  name: unknown,
  { key, value, repairs }: GivenArguments,
  { takesText, ...reading }: Reading & { takesText: boolean },
): Promise<ToolCall> {
  if (name === undefined) throw malformed('"name" is missing');
  if (typeof name !== "string") throw malformed(`"name" is ${describeType(name)}, not a string`);
  const read = meansNoArguments(value)
    ? { value: {}, repairs: [] }
    : takesText && typeof value === "string"
    ? await (await import("./json_text.ts")).argumentsInText(value, name, reading)
    : { value, repairs: [] };
  if (!isObject(read.value)) {
    throw malformed(`${quote(key)} is ${describeType(read.value)}, not an object`);
  }
  const all = [...reading.repairs ?? [], ...repairs, ...read.repairs];
  return { name, arguments: read.value, ...(all.length > 0 && { repairs: all }) };
}

/** A value for a message: the value itself if it is a string, else its kind. */
export function shown(value: unknown): string {
  return typeof value === "string" ? quote(value) : describeType(value);
}

/** The kind of a value, with its article. */
export function describeType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (isInexactNumber(value)) return "a number";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** The keys of calls of one shape. */
export interface CallShape {
  /** The key of the arguments. */
  key: string;
  /** Keys of the arguments in other dialects. They are accepted and reported as a repair. */
  synonyms?: readonly string[];
  /** Keys beside the arguments. They are ignored. */
  envelope: readonly string[];
  /** A key with a copy of the arguments, which SDKs add. It is ignored if the arguments exist. */
  copy?: string;
}

/** The keys that any call may have. */
const COMMON = ["name", "id", "call_id", "type", "index", "_meta"];

/** MCP's own keys of the params of `tools/call`. */
const MCP = ["task", "inputResponses", "requestState"];

/** Keys that gateways and SDKs add to the calls of OpenAI's API. */
const ADDED = ["extra_content", "provider_specific_fields", "namespace", "caller"];

/** The shapes of calls. */
export const shapes = {
  /** A call: Gemini and LangChain use `args`, Llama and Cohere `parameters`, Bedrock `input`. */
  bare: {
    key: "arguments",
    synonyms: ["args", "parameters", "input"],
    envelope: [...COMMON, ...MCP, "toolUseId"],
  },
  /** A call with a type. LangChain uses `args`. With `parameters` it is a definition. */
  typed: { key: "arguments", synonyms: ["args"], envelope: COMMON },
  /** The params of MCP's `tools/call`. */
  params: { key: "arguments", envelope: [...COMMON, ...MCP] },
  /** A JSON-RPC request, whose arguments are in `params`. */
  request: { key: "params", envelope: ["jsonrpc", "id", "method", "_meta"] },
  /** A tool call of OpenAI's chat completions. */
  toolCall: { key: "function", envelope: [...COMMON, ...ADDED] },
  /** The `function` of such a call. */
  function: { key: "arguments", envelope: [...COMMON, ...ADDED], copy: "parsed_arguments" },
  /** A function call of OpenAI's Responses. */
  functionCall: {
    key: "arguments",
    envelope: [...COMMON, ...ADDED, "status", "async", "created_by"],
    copy: "parsed_arguments",
  },
  /** A `functionCall` of Gemini's. */
  functionCallPart: { key: "args", envelope: [...COMMON, "partialArgs", "willContinue"] },
  /** A `toolUse` of Bedrock's. */
  bedrockToolUse: { key: "input", envelope: [...COMMON, "toolUseId"] },
  /** A `tool-call` of the AI SDK. Version 4 has `args`. */
  aiSdkToolCall: {
    key: "input",
    synonyms: ["args"],
    envelope: [
      ...[...COMMON, "toolCallId", "toolName", "providerExecuted", "providerOptions"],
      ...["providerMetadata", "dynamic", "title", "invalid"],
    ],
  },
  /** A tool call of LangChain's. */
  langchainToolCall: { key: "args", envelope: COMMON },
  /** A block `tool_use` of Anthropic's messages. */
  toolUse: { key: "input", envelope: [...COMMON, "cache_control", "caller", "toolset_name"] },
} satisfies Record<string, CallShape>;

/** The arguments of a call, the key that they were under, and the repairs to find them. */
interface GivenArguments {
  key: string;
  value: unknown;
  repairs: Repair[];
}

/**
 * The arguments of a call of that shape. Rejects with `malformed_call` when a key is neither that
 * of the arguments nor in the envelope, or when two keys have arguments, so that nothing is lost.
 * With `strict`, keys of other dialects are rejected too.
 */
export async function argumentsOf(
  call: Record<string, unknown>,
  shape: CallShape,
  { strict = false }: { strict?: boolean } = {},
): Promise<GivenArguments> {
  const { key, envelope, copy, synonyms = [] } = shape;
  const others = Object.keys(call).filter((each) =>
    each !== key && !envelope.includes(each) && !(each === copy && Object.hasOwn(call, key))
  );
  const [other] = others;
  if (other === undefined) return { key, value: own(call, key), repairs: [] };
  if (others.length > 1 || Object.hasOwn(call, key) || strict || !synonyms.includes(other)) {
    const { misplacedArguments } = await import("./misplaced_arguments.ts");
    const has = { hasKey: Object.hasOwn(call, key), hasName: Object.hasOwn(call, "name") };
    throw malformed(...misplacedArguments(others, { ...shape, ...has }));
  }
  const repairs: Repair[] = [{ path: "", rule: "arguments_key", from: other }];
  return { key: other, value: own(call, other), repairs };
}

function own(call: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(call, key) ? call[key] : undefined;
}

/** A failure of the input itself, with data for programs. */
export function malformed(why: string, details: Record<string, unknown> = {}): CallError {
  return new CallError("malformed_call", `${MALFORMED.start}${why}${MALFORMED.end}`, details);
}

/** The parts of the message around the reason. */
export const MALFORMED = {
  start: "Cannot read the tool call: ",
  end: "; expected one JSON object such as " +
    `{"name":"fs.read","arguments":{"path":"README.md"}}`,
} as const;
