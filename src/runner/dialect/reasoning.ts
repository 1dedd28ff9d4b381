/** The reasoning of a model in its text. A call in it was only thought about. */

/** The names of the tags around reasoning, in the templates of models. */
const TAGS = "think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad|seed:think";

/** Marks at which reasoning begins and ends, and those of calls, whose text may have such marks. */
const MARK = new RegExp(
  [
    `(?<open><(?:${TAGS})(?:\\s[^<>]*)?>|\\[THINK\\]|<\\|START_THINKING\\|>|◁think▷)`,
    `(?<close></(?:${TAGS})\\s*>|\\[/THINK\\]|<\\|END_THINKING\\|>|◁/think▷)`,
    "(?<channel><\\|channel\\|>\\s*analysis)",
    "(?<call><tool_call>|<function=|\\[TOOL_CALLS\\])",
  ].join("|"),
  "gi",
);

/** The ends of calls, by their beginnings. A call without an end goes on to the end of the text. */
const CALL_ENDS = new Map([["<tool_call>", "</tool_call>"], ["<function=", "</function>"]]);

/** The ends of a channel of the Harmony format. */
const CHANNEL_END = /<\|(?:end|start|return)\|>/g;

/**
 * Returns a model's text without its reasoning. Reasoning that is left open goes on to the end. An end
 * without a beginning ends reasoning that began before the text, as templates write it. Marks in a
 * call outside of reasoning are part of the call.
 */
export function withoutReasoning(text: string): string {
  let outside = "";
  let [depth, from] = [0, 0];
  MARK.lastIndex = 0;
  for (let mark = MARK.exec(text); mark !== null; mark = MARK.exec(text)) {
    const { open, close, channel, call } = mark.groups!;
    const end = MARK.lastIndex;
    if (depth === 0) outside += text.slice(from, mark.index);
    from = end;
    if (open !== undefined) depth++;
    else if (close !== undefined) {
      if (depth === 0) outside = "";
      else depth--;
    } else if (channel !== undefined) {
      if (depth === 0) from = endAfter(text, CHANNEL_END, end);
    } else if (call !== undefined && depth === 0) {
      const callEnd = CALL_ENDS.get(call.toLowerCase());
      from = callEnd === undefined ? text.length : endOfText(text, callEnd, end);
      outside += text.slice(mark.index, from);
    }
    MARK.lastIndex = Math.max(from, end);
  }
  return depth === 0 ? outside + text.slice(from) : outside;
}

function endOfText(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from);
  return at < 0 ? text.length : at + end.length;
}

function endAfter(text: string, end: RegExp, from: number): number {
  end.lastIndex = from;
  return end.test(text) ? end.lastIndex : text.length;
}
