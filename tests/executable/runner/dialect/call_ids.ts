/** Messages of every dialect as JSON texts, with ids and arguments that JSON parsers change. */

/** A call, with its id and its arguments as JSON texts. */
export interface TextCall {
  id: string;
  args: string;
}

/** A dialect: how it writes calls, and the key of the id in its answers. */
export interface IdDialect {
  name: string;
  /** The message, or the call if the dialect has one call in a message. */
  write(calls: readonly TextCall[]): string;
  idKey: string;
  isSingle?: true;
}

const TOOL = '"name":"fs.list"';

/** The calls as objects, with arguments as an object, or as a JSON text if `isText`. */
const each = (
  calls: readonly TextCall[],
  write: (call: TextCall) => string,
  isText = false,
) =>
  calls.map(({ id, args }) => write({ id, args: isText ? JSON.stringify(args) : args })).join(",");

/** All dialects whose answers repeat the id of the call. */
export const idDialects: readonly IdDialect[] = [
  {
    name: "json-rpc",
    isSingle: true,
    idKey: "id",
    write: ([call]) =>
      `{"jsonrpc":"2.0","id":${call!.id},"method":"tools/call","params":{${TOOL},"arguments":${
        call!.args
      }}}`,
  },
  {
    name: "a list of MCP's calls",
    idKey: "id",
    write: (calls) =>
      `[${each(calls, ({ id, args }) => `{"id":${id},${TOOL},"arguments":${args}}`)}]`,
  },
  {
    name: "openai",
    idKey: "tool_call_id",
    write: (calls) =>
      `{"role":"assistant","tool_calls":[${
        each(
          calls,
          ({ id, args }) =>
            `{"id":${id},"type":"function","function":{${TOOL},"arguments":${args}}}`,
          true,
        )
      }]}`,
  },
  {
    name: "a single call of openai",
    isSingle: true,
    idKey: "tool_call_id",
    write: ([call]) =>
      `{"id":${call!.id},"type":"function","function":{${TOOL},"arguments":${
        JSON.stringify(call!.args)
      }}}`,
  },
  {
    name: "responses",
    idKey: "call_id",
    write: (calls) =>
      `{"object":"response","output":[${
        each(
          calls,
          ({ id, args }) => `{"type":"function_call","call_id":${id},${TOOL},"arguments":${args}}`,
          true,
        )
      }]}`,
  },
  {
    name: "anthropic",
    idKey: "tool_use_id",
    write: (calls) =>
      `{"role":"assistant","content":[${
        each(calls, ({ id, args }) => `{"type":"tool_use","id":${id},${TOOL},"input":${args}}`)
      }]}`,
  },
  {
    name: "gemini",
    idKey: "id",
    write: (calls) =>
      `{"role":"model","parts":[${
        each(calls, ({ id, args }) => `{"functionCall":{"id":${id},${TOOL},"args":${args}}}`)
      }]}`,
  },
  {
    name: "bedrock",
    idKey: "toolUseId",
    write: (calls) =>
      `{"role":"assistant","content":[${
        each(calls, ({ id, args }) => `{"toolUse":{"toolUseId":${id},${TOOL},"input":${args}}}`)
      }]}`,
  },
  {
    name: "mistral",
    idKey: "toolCallId",
    write: (calls) =>
      `{"role":"assistant","toolCalls":[${
        each(calls, ({ id, args }) => `{"id":${id},"function":{${TOOL},"arguments":${args}}}`, true)
      }]}`,
  },
  {
    name: "ai-sdk",
    idKey: "toolCallId",
    write: (calls) =>
      `{"role":"assistant","content":[${
        each(
          calls,
          ({ id, args }) =>
            `{"type":"tool-call","toolCallId":${id},"toolName":"fs.list","input":${args}}`,
        )
      }]}`,
  },
  {
    name: "langchain",
    idKey: "tool_call_id",
    write: (calls) =>
      `{"type":"ai","tool_calls":[${
        each(calls, ({ id, args }) => `{"id":${id},${TOOL},"args":${args}}`)
      }]}`,
  },
  {
    name: "ollama, where the name is the id",
    idKey: "tool_name",
    write: (calls) =>
      `{"role":"assistant","tool_calls":[${
        each(calls, ({ id, args }) => `{"function":{"name":${id},"arguments":${args}}}`)
      }]}`,
  },
  {
    name: "function-call, where the name is the id",
    isSingle: true,
    idKey: "name",
    write: ([call]) =>
      `{"role":"assistant","function_call":{"name":${call!.id},"arguments":${
        JSON.stringify(call!.args)
      }}}`,
  },
];

/** An integer that a double rounds. */
export const LARGE = "1180591620717411303";

/** Arguments that JavaScript would change: each fails, or is repaired. */
export const inexactArguments = [
  ...[`{"path":${LARGE}}`, `{"other":-${LARGE}}`, '{"path":1e400}', '{"path":{"a":[1e400]}}'],
  ...['{"path":"\\ud800"}', '{"path":["\\udc00x"]}', '{"\\udc00":1}', `{"path":9007199254740993}`],
  `{"path":1152921504606846976}`,
];

/** Arguments with a key that occurs twice. */
export const duplicateArguments = [
  '{"path":".","path":"."}',
  '{"path":{"a":[{"b":1,"b":1}]}}',
  '{"path":".","p\\u0061th":"."}',
  '{"__proto__":1,"__proto__":2}',
];

/** Ids as JSON texts. */
export const idTexts = [
  ...['"a"', "7", "0", LARGE, `-${LARGE}`, "9007199254740993", '"\\ud800"', '"toString"'],
];

/** The ids in answers, as the JSON texts that they have. */
export function idsIn(json: string, key: string): string[] {
  const pattern = new RegExp(`"${key}":("(?:[^"\\\\]|\\\\.)*"|[^,}\\]]+)`, "g");
  return [...json.matchAll(pattern)].map(([, id]) => id!);
}

/** Calls with these arguments, each with another id. The ids that JavaScript changes come first. */
export function callsWith(args: readonly string[], { names = false } = {}): TextCall[] {
  return args.map((each, place) => ({
    args: each,
    id: names ? `"tool_${place}"` : idTexts[place] ?? `"id ${place}"`,
  }));
}
