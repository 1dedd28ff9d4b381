import { shownContent } from "../../../base/shown_content.ts";
import { blockText } from "../../../base/block_text.ts";
import { wrap } from "../../../base/terminal/wrap.ts";
import { visibleLines } from "../../../base/text/escape_controls.ts";
import type { CallResult } from "../../call/failure.ts";
import { inline, type TextLayout } from "./style.ts";

/** The failures whose text is a tool's own, which may be laid out in columns. */
const TOOLS_OWN = ["tool_failed", "timeout", "cancelled"];

/**
 * The content of a result as text that is safe on a terminal, with a line end. Content that is not
 * text becomes a line with its type and size. The data is printed only if there is no content.
 */
export function resultText(result: CallResult): string {
  const text = shownContent(result, 2).map((block) => blockText(block)).join("\n");
  return withLineEnd(visibleLines(text));
}

/**
 * A failure as `error[code]: message`, for a terminal. `shown` is the start of the message that the
 * terminal shows already.
 */
export function failureText(result: CallResult, page: TextLayout, shown = ""): string {
  const code = result._meta?.["toolcall/error"]?.code ?? "tool_failed";
  const label = `error[${code}]:`;
  const full = result.content.map((block) => blockText(block)).join("\n");
  const message = visibleLines(withoutShown(full, shown));
  const lines = TOOLS_OWN.includes(code) || page.width === undefined
    ? `${label} ${message}`.split("\n")
    : wrap(`${label} ${message}`, page.width);
  const [first = "", ...rest] = lines;
  const start = page.paint(first.slice(0, label.length), "red") + first.slice(label.length);
  return withLineEnd([start, ...rest].join("\n"));
}

/** The part of a text that the terminal does not show yet. */
function withoutShown(text: string, shown: string): string {
  if (shown === "") return text;
  if (text.startsWith(shown)) return text.slice(shown.length).replace(/^\n/, "");
  // The result leaves out the middle of a long output. Its last line is not part of the output.
  return text.slice(text.trimEnd().lastIndexOf("\n") + 1);
}

/** Remarks about a call that succeeded or failed, one for each line of stderr. */
export function noteTexts({ _meta = {} }: CallResult): string[] {
  const repairs = (_meta["toolcall/repaired"] ?? []).map(({ path, rule }) =>
    `corrected ${path === "" ? "the JSON of the call" : path} (${rule})`
  );
  const ignored = _meta["toolcall/ignored"] ?? [];
  const ended = _meta["toolcall/ended"] ?? [];
  const retries = _meta["toolcall/retries"];
  return [
    ...repairs,
    ...(ignored.length === 0 ? [] : [`ignored the arguments ${ignored.join(", ")}`]),
    ...ended.map((program) => `ended a program that still ran: ${program}`),
    ...(retries === undefined ? [] : [`succeeded after ${retries} more attempts`]),
  ].map(inline);
}

function withLineEnd(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
