import { CallError } from "../../base/errors.ts";
import { isObject } from "../../base/json/is_object.ts";
import { quote } from "../../base/text/quote.ts";
import type { ServerRequests } from "../mcp/client/server_requests.ts";
import type { InnerCall, InnerResult, Question } from "../registry/services.ts";
import type { CallOptions } from "./call.ts";

/** The most characters of a server's messages to a model. */
const MAX_CHARACTERS = 100_000;

/**
 * Returns what passes the requests of MCP servers on during one call: forms to the MCP client or by
 * `ask`, questions to the MCP client's model or to the configured one.
 */
export function passRequests(
  options: CallOptions,
  { ask, execute }: {
    ask: (questions: Question[]) => Promise<Record<string, string>>;
    execute: (call: InnerCall) => Promise<InnerResult>;
  },
): ServerRequests {
  const { requests: client, program } = options.ask;
  let count = 0;
  const send = async (
    server: string,
    method: "elicitation/create" | "sampling/createMessage",
    params: Record<string, unknown>,
  ) => {
    const name = `${server} ${++count}`;
    return (await client!.request({ [name]: { method, params } }))[name] as Record<string, unknown>;
  };
  return {
    async elicit(server, params) {
      const { checkForm, elicit } = await import("../ask/elicit.ts");
      if (client === undefined || program !== undefined) {
        return { ...await elicit(server, params, ask) };
      }
      const message = checkForm(server, params);
      return await send(server, "elicitation/create", { ...params, message });
    },
    async sample(server, params) {
      const isOffered = (await client?.capabilities())?.includes("sampling") === true;
      return isOffered
        ? await send(server, "sampling/createMessage", params)
        : await askModel(server, params, { options, execute });
    },
  };
}

/** Asks the configured model, by a tool that no model sees: so the flags decide, as for each call. */
async function askModel(
  server: string,
  params: Record<string, unknown>,
  { options, execute }: {
    options: CallOptions;
    execute: (call: InnerCall) => Promise<InnerResult>;
  },
): Promise<Record<string, unknown>> {
  const fail = (why: string) =>
    new CallError("tool_failed", `Cannot ask a model for the MCP server ${quote(server)}: ${why}`);
  const { modelTool } = options.program;
  if (modelTool === undefined) throw fail("this program has none");
  const { messages, systemPrompt } = params;
  if (!Array.isArray(messages)) throw fail("it sent no messages");
  const texts = messages.map((message) => {
    const { role, content } = isObject(message) ? message : {};
    const blocks = Array.isArray(content) ? content : [content];
    const isText = blocks.every((block) => isObject(block) && block["type"] === "text");
    if (!isText) throw fail("only texts are passed on");
    return { role: String(role), text: blocks.map(({ text }) => text).join("\n") };
  });
  const length = JSON.stringify([texts, systemPrompt]).length;
  if (length > MAX_CHARACTERS) throw fail(`it sent more than ${MAX_CHARACTERS} characters`);
  const args = {
    messages: texts,
    ...(typeof systemPrompt === "string" && { system: systemPrompt }),
  };
  const result = await execute({ name: modelTool, arguments: args });
  const [block] = result.content;
  const text = block?.type === "text" ? block.text : "";
  if (result.isError) throw fail(text);
  const content = { type: "text", text };
  return { role: "assistant", content, model: "configured", stopReason: "endTurn" };
}
