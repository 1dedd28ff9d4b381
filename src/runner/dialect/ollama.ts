import { isObject } from "../../base/json/is_object.ts";
import { assistantMessage } from "./assistant_message.ts";
import { argumentsOf, namedCall, shapes } from "./mcp.ts";
import {
  calledName,
  type ModelAnswer,
  type ModelCall,
  type ModelDialect,
  toolText,
} from "./model_dialect.ts";

/**
 * Ollama's own chat API: an assistant message, or the whole response. Its calls have no id and no
 * type, and their arguments are not a text. Source: Ollama's API reference, "Generate a chat message".
 */
export const ollama: ModelDialect = {
  find(value) {
    const list = assistantMessage(value)?.["tool_calls"];
    if (!Array.isArray(list) || list.length === 0 || !list.every(isToolCall)) return undefined;
    return { calls: list.map(callOf), isMessage: true };
  },
  renderOne: toolMessage,
  renderAll: (answers) => answers.map(toolMessage),
};

function isToolCall(value: unknown): value is { function: Record<string, unknown> } {
  return isObject(value) && !Object.hasOwn(value, "type") && !Object.hasOwn(value, "id") &&
    isObject(value["function"]) && typeof value["function"]["arguments"] !== "string";
}

function callOf({ function: called }: { function: Record<string, unknown> }): ModelCall {
  return {
    id: "",
    name: calledName(called["name"]),
    async read(reading) {
      const given = await argumentsOf(called, shapes.function, reading);
      return await namedCall(called["name"], given, { ...reading, takesText: false });
    },
  };
}

function toolMessage({ name = "", result }: ModelAnswer): unknown {
  return { role: "tool", tool_name: name, content: toolText(result, { marksErrors: true }) };
}
