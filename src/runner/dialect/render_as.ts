import { anthropic } from "./anthropic.ts";
import { blockText } from "../../base/block_text.ts";
import type { Format } from "./incoming.ts";
import type { ModelAnswer } from "./model_dialect.ts";
import { openai } from "./openai.ts";
import { responses } from "./responses.ts";

const dialects = { openai, responses, anthropic };

/** Renders results for stdout. The results of a message form one message or list. */
export function renderAs(
  format: Exclude<Format, "same"> | "json-rpc",
  answers: readonly ModelAnswer[],
  isMessage: boolean,
): string {
  if (format === "text") return answers.map(text).join("");
  if (format === "mcp" || format === "json-rpc") {
    return line(isMessage ? answers.map(mcp) : mcp(answers[0]!));
  }
  const { renderAll, renderOne } = dialects[format];
  return line(isMessage ? renderAll(answers) : renderOne(answers[0]!));
}

/** The result, with the id of its call if the call has one. */
function mcp({ id, result }: ModelAnswer): unknown {
  if (id === "") return result;
  return { ...result, _meta: { ...result._meta, "toolcall/call": { id } } };
}

function text({ result: { content } }: ModelAnswer): string {
  return `${content.map((block) => blockText(block)).join("\n")}\n`.replace(/\n\n$/, "\n");
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
