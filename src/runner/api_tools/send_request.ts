import type { StructuredOutput } from "../../base/content.ts";
import { isObject } from "../../base/json/is_object.ts";
import { retryableStatus } from "../../base/retryable.ts";
import { escapeControls } from "../../base/text/escape_controls.ts";
import { quote } from "../../base/text/quote.ts";
import type { ToolDefinition } from "../registry/define.ts";
import { metadataOf, type RegisteredTool } from "../registry/registered_tool.ts";
import type { ToolContext } from "../registry/tool_context.ts";
import type { ApiRequest } from "./api_request.ts";

/** The most bytes of an answer that are read. */
const MAX_BYTES = 1_000_000;

/** The most characters of an answer in the text of a result. */
const MAX_TEXT = 100_000;

/** The most characters of an error that an API reports. */
const MAX_ERROR = 2_000;

/** The tool of a Worker that sends a request, which was checked before. */
export function sender(name: string): RegisteredTool {
  const definition: ToolDefinition = {
    ...{ name, title: name, category: "utility", sideEffect: "network", optionality: "optional" },
    ...{ usageHint: "", inputSchema: { type: "object" }, examples: [] },
    permissions: { kinds: ["net"], needs: () => [] },
    run: (args, ctx) => send(args as unknown as ApiRequest, ctx),
  };
  return {
    metadata: metadataOf(definition),
    validate: () => true,
    load: () => Promise.resolve(definition),
  };
}

/** Sends a request. Throws with the status and the message of the API if it reports an error. */
async function send({ url, ...request }: ApiRequest, ctx: ToolContext): Promise<StructuredOutput> {
  const response = await ctx.fetch(url, request);
  const { status, headers } = response;
  const { text, isCut, bytes } = await readText(response);
  const type = headers.get("content-type") ?? "";
  const data = isCut ? undefined : jsonOf(text, type);
  if (status >= 300 && status < 400 && status !== 304) {
    const place = headers.get("location") ?? "";
    throw new Error(
      `HTTP ${status}: the API redirects to ${quote(place, 200)}, which is not followed`,
      { cause: { status } },
    );
  }
  if (status >= 400) {
    const message = errorMessage(data) ?? (isText(type) ? text.slice(0, MAX_ERROR).trim() : "");
    const after = Number(headers.get("retry-after") ?? NaN);
    throw new Error(`HTTP ${status}${message === "" ? "" : `: ${escapeControls(message)}`}`, {
      cause: {
        ...{ status, ...(data !== undefined && { body: data }) },
        ...(request.method === "GET" &&
          retryableStatus(status, Number.isFinite(after) ? after * 1000 : undefined)),
      },
    });
  }
  const shown = bytes === 0
    ? "(no content)"
    : isText(type) || data !== undefined
    ? text.slice(0, MAX_TEXT)
    : `[${bytes} bytes of ${type || "an unknown type"}]`;
  const note = isCut || text.length > MAX_TEXT ? "\n[The rest of the answer is omitted]" : "";
  return {
    content: `HTTP ${status}\n${shown}${note}`,
    structuredContent: {
      status,
      ...(data !== undefined
        ? { body: data }
        : isText(type) && bytes > 0 && { body: text.slice(0, MAX_TEXT) }),
    },
  };
}

async function readText(
  { body }: Response,
): Promise<{ text: string; isCut: boolean; bytes: number }> {
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return { text, isCut: true, bytes };
    text += decoder.decode(chunk, { stream: true });
  }
  return { text: text + decoder.decode(), isCut: false, bytes };
}

function isText(type: string): boolean {
  return type === "" || /^text\/|json|xml|yaml|javascript|urlencoded/i.test(type);
}

function jsonOf(text: string, type: string): unknown {
  if (!/json/i.test(type)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The message in the body of an error, as APIs write it: RFC 9457, Google, GitHub and others. */
function errorMessage(body: unknown): string | undefined {
  if (typeof body === "string") return body.slice(0, MAX_ERROR);
  if (!isObject(body)) return undefined;
  const { error, errors } = body;
  const [first] = Array.isArray(errors) ? errors : [];
  const found = [
    body["message"],
    isObject(error) ? error["message"] : error,
    ...[body["detail"], body["error_description"], body["title"]],
    isObject(first) ? first["message"] ?? first["detail"] : first,
  ].find((each) => typeof each === "string" && each !== "");
  return (found as string | undefined)?.slice(0, MAX_ERROR) ??
    JSON.stringify(body).slice(0, MAX_ERROR);
}
