/**
 * A server of the APIs of five model vendors. It checks each request as the API does, asks for one
 * call of a tool, and then answers with the result of the tool.
 */

/** A request that the API refuses. */
class Refusal extends Error {}

function must(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Refusal(why);
}

// deno-lint-ignore no-explicit-any -- Requests are checked piece by piece.
type Json = any;

/** The names that OpenAI and Anthropic allow for tools. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
/** The keys of Gemini's schemas (the API's type `Schema`). */
const GEMINI_KEYS = new Set(
  ("type format title description nullable enum maxItems minItems properties required minProperties " +
    "maxProperties minLength maxLength pattern example anyOf propertyOrdering default items minimum " +
    "maximum").split(" "),
);

function checkTool(name: Json, description: Json, schema: Json): void {
  must(NAME.test(name), `tool name ${name}`);
  must(typeof description === "string" && description.length <= 4_096, `description of ${name}`);
  // Gemini writes its types in capital letters.
  must(
    /^object$/i.test(schema?.type) && typeof schema.properties === "object",
    `schema of ${name}`,
  );
}

function checkGeminiSchema(schema: Json): void {
  for (const key of Object.keys(schema)) must(GEMINI_KEYS.has(key), `the key ${key}`);
  for (const each of Object.values(schema.properties ?? {})) checkGeminiSchema(each);
  for (const each of [schema.items ?? [], schema.anyOf ?? []].flat()) checkGeminiSchema(each);
}

/** The call that the server asks for: the tool's name and its arguments. */
interface Wanted {
  name: string;
  args: Record<string, unknown>;
}

/** Answers a request to one of the APIs. */
type Api = (body: Json, headers: Headers, wanted: Wanted) => Json;

const chat: Api = ({ messages, tools, model }, headers, { name, args }) => {
  must(headers.get("authorization")?.startsWith("Bearer "), "no key");
  must(typeof model === "string" && tools.length > 0, "no model or no tools");
  for (const { type, function: { name, description, parameters } } of tools) {
    must(type === "function", `type ${type}`);
    checkTool(name, description, parameters);
  }
  const last = messages.at(-1);
  const finish = (message: Json, finish_reason: string) => ({
    ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model },
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
  if (last.role !== "tool") {
    const call = { name, arguments: JSON.stringify(args) };
    const tool_calls = [{ id: "call_1", type: "function", function: call }];
    return finish({ content: null, tool_calls }, "tool_calls");
  }
  const asked = messages.at(-2);
  must(asked.role === "assistant" && asked.tool_calls[0].id === "call_1", "no call before it");
  must(last.tool_call_id === "call_1", `tool_call_id ${last.tool_call_id}`);
  const text = typeof last.content === "string" ? last.content : last.content[0].text;
  return finish({ content: `It says: ${text}` }, "stop");
};

const responses: Api = ({ input, tools, model }, headers, { name, args }) => {
  must(headers.get("authorization")?.startsWith("Bearer "), "no key");
  for (const { type, name, description, parameters } of tools) {
    must(type === "function", `type ${type}`);
    checkTool(name, description, parameters);
  }
  const last = input.at(-1);
  const finish = (output: Json[]) => ({
    ...{ id: "resp_1", object: "response", created_at: 1, status: "completed", model, output },
    ...{ parallel_tool_calls: true, tool_choice: "auto", tools, error: null },
  });
  if (last.type !== "function_call_output") {
    const call = { call_id: "call_1", name, arguments: JSON.stringify(args) };
    return finish([{ type: "function_call", id: "fc_1", status: "completed", ...call }]);
  }
  must(last.call_id === "call_1" && typeof last.output === "string", "the output of the call");
  must(input.at(-2).type === "function_call", "no call before it");
  const content = [{ type: "output_text", text: `It says: ${last.output}`, annotations: [] }];
  return finish([{ type: "message", id: "m", role: "assistant", status: "completed", content }]);
};

const anthropic: Api = ({ messages, tools, model, max_tokens }, headers, { name, args }) => {
  const key = headers.get("x-api-key") ?? headers.get("authorization");
  must(key && headers.get("anthropic-version"), "no key or version");
  must(max_tokens > 0, "no max_tokens");
  for (const { name, description, input_schema } of tools) {
    checkTool(name, description, input_schema);
  }
  messages.forEach(({ role }: Json, at: number) =>
    must(role === (at % 2 === 0 ? "user" : "assistant"), `message ${at} has the role ${role}`)
  );
  const last = messages.at(-1);
  const finish = (content: Json[], stop_reason: string) => ({
    ...{ id: "msg_1", type: "message", role: "assistant", model, content, stop_reason },
    ...{ stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } },
  });
  if (typeof last.content === "string") {
    return finish([{ type: "tool_use", id: "toolu_1", name, input: args }], "tool_use");
  }
  const [{ type, tool_use_id, content }] = last.content;
  must(type === "tool_result" && tool_use_id === "toolu_1", "no tool_result");
  const text = typeof content === "string" ? content : content[0].text;
  return finish([{ type: "text", text: `It says: ${text}` }], "end_turn");
};

const gemini: Api = ({ contents, tools }, headers, { name, args }) => {
  must(headers.get("x-goog-api-key"), "no key");
  const declared = tools.flatMap((tool: Json) => tool.functionDeclarations);
  for (const { name, description, parameters } of declared) {
    checkTool(name, description, parameters);
    checkGeminiSchema(parameters);
  }
  const last = contents.at(-1);
  const finish = (parts: Json[]) => ({
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
  });
  const response = last.parts[0].functionResponse;
  if (response === undefined) return finish([{ functionCall: { name, args } }]);
  must(response.name === name, `an answer to ${response.name}`);
  must(contents.at(-2).parts[0].functionCall, "no call before it");
  return finish([{ text: `It says: ${JSON.stringify(response.response)}` }]);
};

const ollama: Api = ({ messages, tools, model }, _, { name, args }) => {
  for (const { function: { name, description, parameters } } of tools) {
    checkTool(name, description, parameters);
  }
  const last = messages.at(-1);
  const finish = (message: Json) => ({
    ...{ model, created_at: new Date(0).toISOString(), done: true, done_reason: "stop" },
    message: { role: "assistant", content: "", ...message },
  });
  if (last.role !== "tool") {
    return finish({ tool_calls: [{ function: { name, arguments: args } }] });
  }
  must(last.tool_name === name, `an answer to ${last.tool_name}`);
  return finish({ content: `It says: ${last.content}` });
};

const APIS: readonly [path: RegExp, api: Api][] = [
  [/^\/v1\/chat\/completions$/, chat],
  [/^\/v1\/responses$/, responses],
  [/^\/v1\/messages$/, anthropic],
  [/^\/v1(beta)?\/models\/[\w.-]+:generateContent$/, gemini],
  [/^\/api\/chat$/, ollama],
];

/** Starts the server. `refusals` are the reasons of refused requests. */
export function scriptedApis(wanted: Wanted) {
  const refusals: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    try {
      const api = APIS.find(([path]) => path.test(pathname))?.[1];
      must(api, `no API at ${pathname}`);
      return Response.json(api(await request.json(), request.headers, wanted));
    } catch (error) {
      refusals.push((error as Error).message);
      return Response.json({ error: { message: (error as Error).message } }, { status: 400 });
    }
  });
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    refusals,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
