import type { Repair } from "../call/call.ts";

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
  /**
   * A call by itself. Gemini and LangChain use `args`, Llama and Cohere `parameters`, Bedrock
   * `input`.
   */
  bare: {
    key: "arguments",
    synonyms: ["args", "parameters", "input"],
    envelope: [...COMMON, ...MCP, "toolUseId"],
  },
  /**
   * A call by itself with a type. LangChain uses `args`. An object with `parameters` is a
   * definition.
   */
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
    envelope: [...COMMON, ...ADDED, "status"],
    copy: "parsed_arguments",
  },
  /** A block `tool_use` of Anthropic's messages. */
  toolUse: { key: "input", envelope: [...COMMON, "cache_control", "caller"] },
} satisfies Record<string, CallShape>;

/** The arguments of a call as they were given. */
export interface GivenArguments {
  /** The key that they were under. */
  key: string;
  /** Their value. */
  value: unknown;
  /** The repairs that were needed to find them. */
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
    throw misplacedArguments(others, { ...shape, hasKey: Object.hasOwn(call, key) });
  }
  const repairs: Repair[] = [{ path: "", rule: "arguments_key", from: other }];
  return { key: other, value: own(call, other), repairs };
}

function own(call: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(call, key) ? call[key] : undefined;
}
