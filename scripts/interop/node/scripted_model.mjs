/**
 * A server that speaks the APIs of models for one run of an agent. It asks for one call of a tool, and
 * ends the run when it gets the result. An agent without the tool gets a text at once.
 */
import { createServer } from "node:http";

/** The events of a stream, as lines of server-sent events. */
function send(response, events, { named = true } = {}) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) {
    const name = named && event.type !== undefined ? `event: ${event.type}\n` : "";
    response.write(`${name}data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
  }
  response.end();
}

/** Anthropic's messages. */
const messages = {
  path: /\/v1\/messages$/,
  names: ({ tools = [] }) => tools.map(({ name }) => name),
  resultOf({ messages }) {
    for (const { content } of messages) {
      if (!Array.isArray(content)) continue;
      const result = content.find((block) => block.type === "tool_result");
      if (result === undefined) continue;
      const blocks = typeof result.content === "string"
        ? [{ type: "text", text: result.content }]
        : result.content ?? [];
      return {
        text: blocks.map((block) => block.text ?? "").join("\n"),
        images: blocks.flatMap((block) => block.type === "image" ? [block.source.data ?? ""] : []),
        isError: result.is_error === true,
      };
    }
    return undefined;
  },
  answer(response, { model }, call) {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: "msg_1", type: "message", role: "assistant", model, content: [], usage };
    const [block, delta, stop] = call === undefined
      ? [{ type: "text", text: "" }, { type: "text_delta", text: "Done" }, "end_turn"]
      : [
        { type: "tool_use", id: "toolu_1", name: call.name, input: {} },
        { type: "input_json_delta", partial_json: JSON.stringify(call.args) },
        "tool_use",
      ];
    send(response, [
      { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage },
      { type: "message_stop" },
    ]);
  },
};

/** OpenAI's Responses, with tools in namespaces as Codex sends them. */
const responses = {
  path: /\/responses$/,
  names: ({ tools = [] }) =>
    tools.flatMap(({ type, name, tools: inner }) =>
      type === "namespace" ? inner.map((tool) => `${name}/${tool.name}`) : name ?? []
    ),
  resultOf({ input }) {
    const result = input.find(({ type }) => type === "function_call_output");
    if (result === undefined) return undefined;
    const { output } = result;
    const blocks = typeof output === "string" ? [{ text: output }] : output;
    const text = blocks.map((block) => block.text ?? "").join("\n");
    return {
      text,
      images: blocks.flatMap(({ image_url: url }) => url ?? []),
      isError: /error|denied|invalid/i.test(text),
    };
  },
  answer(response, _, call) {
    const item = call === undefined
      ? {
        ...{ type: "message", id: "m1", role: "assistant", status: "completed" },
        content: [{ type: "output_text", text: "Done", annotations: [] }],
      }
      : {
        ...{ type: "function_call", id: "f1", call_id: "c1", status: "completed" },
        ...(call.name.includes("/")
          ? { namespace: call.name.split("/")[0], name: call.name.split("/")[1] }
          : { name: call.name }),
        arguments: JSON.stringify(call.args),
      };
    const usage = {
      ...{ input_tokens: 1, output_tokens: 1, total_tokens: 2 },
      ...{ input_tokens_details: { cached_tokens: 0 } },
      output_tokens_details: { reasoning_tokens: 0 },
    };
    const whole = { id: "r1", object: "response", status: "completed", output: [item], usage };
    send(response, [
      { type: "response.created", response: { ...whole, status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: whole },
    ]);
  },
};

/** OpenAI's chat completions. */
const chat = {
  path: /\/chat\/completions$/,
  names: ({ tools = [] }) => tools.map((tool) => tool.function.name),
  resultOf({ messages }) {
    const at = messages.findIndex(({ role }) => role === "tool");
    if (at < 0) return undefined;
    const { content } = messages[at];
    const text = typeof content === "string"
      ? content
      : content.map((part) => part.text ?? "").join("\n");
    // Images follow in a message of the user.
    const images = messages.flatMap(({ content }) =>
      Array.isArray(content) ? content.flatMap((part) => part.image_url?.url ?? []) : []
    );
    return { text, images, isError: /error|denied|invalid/i.test(text) };
  },
  answer(response, { model }, call) {
    const chunk = (delta, finish_reason = null) => ({
      ...{ id: "c", object: "chat.completion.chunk", created: 1, model },
      choices: [{ index: 0, delta, finish_reason }],
    });
    const delta = call === undefined ? { role: "assistant", content: "Done" } : {
      role: "assistant",
      tool_calls: [{
        ...{ index: 0, id: "call_1", type: "function" },
        function: { name: call.name, arguments: JSON.stringify(call.args) },
      }],
    };
    const end = chunk({}, call === undefined ? "stop" : "tool_calls");
    send(response, [chunk(delta), end, "[DONE]"], { named: false });
  },
};

/** Gemini's contents. */
const gemini = {
  path: /:(streamG|g)enerateContent/,
  names: ({ tools = [] }) =>
    tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
  resultOf({ contents }) {
    const parts = contents.flatMap(({ parts = [] }) => parts);
    const result = parts.find((part) => part.functionResponse)?.functionResponse;
    if (result === undefined) return undefined;
    const all = [...parts, ...(result.parts ?? [])];
    const text = JSON.stringify(result.response);
    return {
      text,
      images: all.flatMap(({ inlineData }) => inlineData?.data ?? []),
      isError: "error" in result.response || /denied|invalid/i.test(text),
    };
  },
  answer(response, _, call) {
    const part = call === undefined
      ? { text: "Done" }
      : { functionCall: { id: "1", name: call.name, args: call.args } };
    send(response, [{
      candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    }]);
  },
};

/** A name as agents change it for the APIs of models. */
function withUnderscores(name) {
  return name.replaceAll(/[^A-Za-z0-9]/g, "_");
}

/** The data that a model sees: JSON somewhere in the text. */
function dataIn(text) {
  try {
    return JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  } catch {
    return undefined;
  }
}

const APIS = [messages, responses, chat, gemini];

/**
 * Starts the server for a call, or for none. `result` resolves to what the agent sent back, and
 * `names` are the tools that it offered.
 */
export async function scriptedModel(call) {
  const state = { names: [], result: undefined };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const url = request.url.split("?")[0];
    const api = APIS.find(({ path }) => path.test(url));
    if (api === undefined || request.method !== "POST") {
      response.writeHead(404, { "content-type": "application/json" });
      return response.end('{"error":{"type":"not_found_error","message":"Not found"}}');
    }
    const body = JSON.parse(text);
    const names = api.names(body);
    // Agents also ask for titles and summaries, without tools.
    if (names.length > state.names.length) state.names = names;
    const result = api.resultOf(body);
    if (result !== undefined) state.result ??= { ...result, data: dataIn(result.text) };
    const name = names.find((each) =>
      call !== undefined && withUnderscores(each).endsWith(withUnderscores(call.tool))
    );
    const isOpen = state.result === undefined && name !== undefined;
    api.answer(response, body, isOpen ? { name, args: call.args } : undefined);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { state, origin: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
