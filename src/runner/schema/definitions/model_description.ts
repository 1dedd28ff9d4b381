import type { ToolMetadata } from "../../registry/registered_tool.ts";
import { withNotes } from "./definition.ts";

/** The longest description that OpenAI's APIs take, in characters. */
export const MAX_OPENAI_DESCRIPTION = 1024;

/**
 * The description of a tool for a model: its own description, its usage hint, and `notes` in
 * brackets. Leaves out the hint if the text would be longer than `limit`, because an API may reject
 * a longer text, and the rest is more important.
 */
export function describeForModel(
  { description = "", usageHint }: Pick<ToolMetadata, "description" | "usageHint">,
  { notes = [], limit = Infinity }: { notes?: readonly string[]; limit?: number } = {},
): string {
  const hint = usageHint.trim();
  const parts = [description, ...(hint === "" ? [] : [`When to use: ${hint}`])];
  const full = withNotes(parts.filter((part) => part !== "").map(withPeriod).join(" "), notes);
  return hint === "" || full.length > limit ? withNotes(description, notes) : full;
}

function withPeriod(text: string): string {
  return /[.!?:;…]\s*$/u.test(text) ? text.trimEnd() : `${text.trimEnd()}.`;
}
