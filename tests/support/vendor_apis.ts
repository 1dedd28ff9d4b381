/**
 * A server of the APIs of Anthropic and OpenAI for the tools that they define. It sends one call after
 * the other, and checks the answer to each call as the API does.
 */

// deno-lint-ignore no-explicit-any -- Requests are checked piece by piece.
type Json = any;

/** A call that the server sends, and the text that its answer must contain. */
export interface PlayedCall {
  /** The block or the item without its id. */
  call: Record<string, unknown>;
  /** A part of the answer. */
  expected: string;
}

/** The calls of a conversation, and the entries of `tools` that each request must have. */
export interface Play {
  /** The calls, in order. */
  calls: readonly PlayedCall[];
  /** The entries. */
  tools: readonly unknown[];
}

function must(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Error(why);
}

/** The id of the call of a turn. */
const idOf = (turn: number) => `call_${turn}`;

function anthropic({ messages, tools, model, max_tokens }: Json, headers: Headers, play: Play) {
  const key = headers.get("x-api-key") ?? headers.get("authorization");
  must(key && headers.get("anthropic-version"), "no key or version");
  must(max_tokens > 0, "no max_tokens");
  mustEqual(tools, play.tools);
  messages.forEach(({ role }: Json, at: number) =>
    must(role === (at % 2 === 0 ? "user" : "assistant"), `message ${at} has the role ${role}`)
  );
  const turn = (messages.length - 1) / 2;
  if (turn > 0) {
    const [result, ...others] = messages.at(-1).content;
    must(result.type === "tool_result" && others.length === 0, "no single tool_result");
    must(result.tool_use_id === idOf(turn - 1), `an answer to ${result.tool_use_id}`);
    must(result.is_error === false, `a failure: ${JSON.stringify(result.content)}`);
    mustContain(result.content, play.calls[turn - 1]!.expected);
  }
  const call = play.calls[turn]?.call;
  const content = call === undefined
    ? [{ type: "text", text: "It is done." }]
    : [{ type: "tool_use", id: idOf(turn), ...call }];
  return {
    ...{ id: `msg_${turn}`, type: "message", role: "assistant", model, content },
    stop_reason: call === undefined ? "end_turn" : "tool_use",
    ...{ stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } },
  };
}

function responses({ input, tools, model }: Json, headers: Headers, play: Play): Json {
  must(headers.get("authorization")?.startsWith("Bearer "), "no key");
  mustEqual(tools, play.tools);
  const turn = (input.length - 1) / 2;
  if (turn > 0) {
    const [asked, answered] = input.slice(-2);
    must(asked.call_id === idOf(turn - 1), "the call is not before its answer");
    must(answered.type === `${asked.type}_output`, `an answer of type ${answered.type}`);
    // Only the output of a local shell names the call by another key.
    const id = asked.type === "local_shell_call" ? answered.id : answered.call_id;
    must(id === asked.call_id, `an answer to ${id}`);
    if (asked.type === "shell_call") checkShellOutput(answered, asked.action.commands.length);
    if (asked.type === "apply_patch_call") must(answered.status === "completed", answered.output);
    mustContain(answered.output, play.calls[turn - 1]!.expected);
  }
  const call = play.calls[turn]?.call;
  const text = { type: "output_text", text: "It is done.", annotations: [] };
  const output = call === undefined
    ? [{ type: "message", id: "m", role: "assistant", status: "completed", content: [text] }]
    : [{ id: `item_${turn}`, call_id: idOf(turn), status: "completed", ...call }];
  return {
    ...{
      id: `resp_${turn}`,
      object: "response",
      created_at: 1,
      status: "completed",
      model,
      output,
    },
    ...{ parallel_tool_calls: true, tool_choice: "auto", tools, error: null },
  };
}

function checkShellOutput({ output }: Json, commands: number): void {
  must(output.length === commands, `${output.length} outputs of ${commands} commands`);
  for (const { stdout, stderr, outcome, ...others } of output) {
    must(typeof stdout === "string" && typeof stderr === "string", "no texts");
    const isExit = outcome.type === "exit" && Number.isInteger(outcome.exit_code);
    must(isExit || outcome.type === "timeout", `outcome ${JSON.stringify(outcome)}`);
    must(Object.keys(others).length === 0, `the keys ${Object.keys(others)}`);
  }
}

function mustEqual(tools: unknown, expected: unknown): void {
  must(JSON.stringify(tools) === JSON.stringify(expected), `the tools ${JSON.stringify(tools)}`);
}

function mustContain(answer: unknown, expected: string): void {
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  must(text.includes(expected), `${JSON.stringify(expected)} is not in ${text}`);
}

/** Starts the server with a play for each API. `refusals` are the reasons of refused requests. */
export function vendorApis(plays: { anthropic: Play; responses: Play }) {
  const refusals: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    try {
      const body = await request.json();
      if (pathname === "/v1/messages") {
        return Response.json(anthropic(body, request.headers, plays.anthropic));
      }
      must(pathname === "/v1/responses", `no API at ${pathname}`);
      return Response.json(responses(body, request.headers, plays.responses));
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
