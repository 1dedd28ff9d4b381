import type { CallResult } from "../call/failure.ts";
import { type Format, modelDialects } from "../dialect/incoming.ts";
import { render } from "../dialect/request.ts";
import type { SubmittedCall, SubmittedLine } from "./submitted_line.ts";

/** The formats of a result line. A text has no place for an id. */
export type LineFormat = Exclude<Format, "text">;

/** The formats of result lines; the first is the default. */
export const lineFormats: readonly LineFormat[] = [
  ...["mcp", "same"] as const,
  ...modelDialects,
];

/**
 * Returns the line that answers a call, with its line end. It is MCP's `CallToolResult` with the id.
 * In another format it is `{"id", "result"}`, so that the result is just what the format prescribes.
 */
export async function renderResultLine(
  { request, call: { id, incoming } }: { request: SubmittedLine["request"]; call: SubmittedCall },
  result: CallResult,
  format: LineFormat,
): Promise<string> {
  if (format !== "mcp") {
    const form = { request: { ...request, isMessage: false }, calls: [incoming] };
    const text = await render(form, [result], format);
    return `{"id":${JSON.stringify(id)},"result":${text.trimEnd()}}\n`;
  }
  const own = incoming.id ?? "";
  // The line's id would otherwise hide the id that the call has in its dialect.
  const _meta = own === "" || own === id
    ? result._meta
    : { ...result._meta, "toolcall/call": { id: own } };
  return plainResultLine(id, { ...result, ...(_meta && { _meta }) });
}

/** Returns the line for a `CallToolResult`, with its line end. */
export function plainResultLine(id: SubmittedCall["id"], result: CallResult): string {
  return `${JSON.stringify({ id, ...result })}\n`;
}
