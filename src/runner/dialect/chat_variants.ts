/** Older and renamed forms of OpenAI's chat messages. */

import { isObject } from "../../base/json/is_object.ts";
import { assistantMessage } from "./assistant_message.ts";
import { describeType, malformed, shapes, textCall } from "./mcp.ts";
import { calledName, type ModelAnswer, type ModelDialect, toolText } from "./model_dialect.ts";
import { openai } from "./openai.ts";

/**
 * The SDKs of Mistral and Cohere, which write OpenAI's calls in camel case: an assistant message with
 * `toolCalls`, or the whole response. Source: `AssistantMessage` and `ToolMessage` of
 * `@mistralai/mistralai`, and `AssistantMessageResponse` and `ToolMessageV2` of `cohere-ai`.
 */
export const mistral: ModelDialect = {
  find(value) {
    const list = assistantMessage(value)?.["toolCalls"];
    if (!Array.isArray(list) || !list.every((each) => isObject(each) && "function" in each)) {
      return undefined;
    }
    return openai.find(list);
  },
  renderOne: camelCaseMessage,
  renderAll: (answers) => answers.map(camelCaseMessage),
};

function camelCaseMessage({ id, result }: ModelAnswer): unknown {
  return { role: "tool", toolCallId: id, content: toolText(result, { marksErrors: true }) };
}

/**
 * The deprecated `function_call` of OpenAI's chat completions: an assistant message with one call and
 * no id, or the whole response. Source: OpenAI's API reference, "Create chat completion".
 */
export const functionCall: ModelDialect = {
  find(value) {
    const message = assistantMessage(value);
    const call = message?.["function_call"];
    if (call === undefined || call === null || Array.isArray(message!["tool_calls"])) {
      return undefined;
    }
    const name = calledName(isObject(call) ? call["name"] : undefined);
    return {
      calls: [{
        id: "",
        name,
        async read(reading) {
          if (!isObject(call)) {
            throw malformed(`"function_call" is ${describeType(call)}, not an object`);
          }
          return await textCall(call, shapes.function, reading);
        },
      }],
      isMessage: true,
    };
  },
  renderOne: functionMessage,
  renderAll: (answers) => answers.map(functionMessage),
};

function functionMessage({ name = "", result }: ModelAnswer): unknown {
  return { role: "function", name, content: toolText(result, { marksErrors: true }) };
}
