/** A server of OpenAI's chat completions, with one prepared answer for each request. */

/** A request to the server. */
export interface Asked {
  path: string;
  headers: Headers;
  body: {
    model: string;
    messages: {
      role: string;
      content: string | null;
      tool_call_id?: string;
      tool_calls?: { id: string; function: { name: string; arguments: string } }[];
    }[];
    tools?: { type: string; function: { name: string; parameters: unknown } }[];
    stream: boolean;
    stream_options?: unknown;
  };
}

/** Answers one request. */
export type Answer = (asked: Asked) => Response | Promise<Response>;

/** Starts a server that gives the answers in turn, and then repeats the last answer. */
export function modelServer(...answers: Answer[]) {
  const asked: Asked[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const path = new URL(request.url).pathname;
    asked.push({ path, headers: request.headers, body: await request.json() });
    return answers[Math.min(asked.length, answers.length) - 1]!(asked.at(-1)!);
  });
  return {
    endpoint: `http://127.0.0.1:${server.addr.port}/v1`,
    host: `127.0.0.1:${server.addr.port}`,
    asked,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** One chunk of a stream, with its new part. */
export function chunk(delta: unknown, finish: string | null = null): unknown {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    model: "served",
    choices: [{ index: 0, delta, finish_reason: finish }],
  };
}

/** The chunk with the numbers of tokens. */
export function usage(input: number, output: number): unknown {
  const total = input + output;
  const tokens = { prompt_tokens: input, completion_tokens: output, total_tokens: total };
  return { id: "chatcmpl-1", object: "chat.completion.chunk", choices: [], usage: tokens };
}

/** Returns chunks as the text of a stream. */
export function events(chunks: readonly unknown[], { done = true } = {}): string {
  const data = chunks.map((each) => JSON.stringify(each));
  return [...data, ...(done ? ["[DONE]"] : [])].map((each) => `data: ${each}\n\n`).join("");
}

/** Returns a stream of this text, with `step` bytes at a time. */
export function streamed(text: string, step = 7): Response {
  const bytes = new TextEncoder().encode(text);
  let start = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (start >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(start, start += step));
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
}

/** Answers with a text, in pieces. */
export function says(text: string, finish = "stop"): Answer {
  const words = text.split(/(?<= )/).map((word) => chunk({ content: word }));
  const start = chunk({ role: "assistant", content: "" });
  return () => streamed(events([start, ...words, chunk({}, finish), usage(100, 10)]), 50);
}

/** Calls tools, as OpenAI streams them: the name first, then the arguments in pieces. */
export function calls(...wanted: [name: string, args: unknown][]): Answer {
  const chunks = wanted.flatMap(([name, args], index) => {
    const text = typeof args === "string" ? args : JSON.stringify(args);
    const id = `call_${index}_${crypto.randomUUID()}`;
    const pieces = text.match(/[^]{1,5}/g) ?? [];
    return [
      chunk({
        tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }],
      }),
      ...pieces.map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ];
  });
  const start = chunk({ role: "assistant", content: null });
  return () => streamed(events([start, ...chunks, chunk({}, "tool_calls"), usage(200, 20)]), 100);
}

/** Fails with a status and an error of OpenAI's API. */
export function fails(
  status: number,
  { message = "It is too much", headers = {} }: {
    message?: string;
    headers?: Record<string, string>;
  } = {},
): Answer {
  return () =>
    Response.json({ error: { message, type: "error", code: null } }, { status, headers });
}
