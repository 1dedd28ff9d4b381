import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  type Server,
  type ServerContext as RequestContext,
} from "@modelcontextprotocol/server";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import type { AskClient } from "../../ask/ask_user.ts";

type Questions = Parameters<AskClient>[0];

/** The name of the only form in a request for input. */
const FORM = "questions";

/** The first revision of MCP whose forms support multiple choice. */
const MULTIPLE_CHOICE_SINCE = "2025-11-25";

/**
 * Returns the answers of the user at an MCP client that came with the request, by elicitation. If
 * there are none, it calls `onForm` with the result for the client, and rejects to end the call.
 * Rejects with `unavailable` if the client does not support forms, and with `tool_failed` if the
 * user declines.
 */
// deno-lint-ignore require-await -- A caller expects a promise, and a throw has to reject it.
export async function askClient(
  questions: Questions,
  { server, request, onForm }: {
    server: Server;
    request: RequestContext;
    onForm: (form: InputRequiredResult) => void;
  },
): ReturnType<AskClient> {
  const response = inputResponse(request.mcpReq.inputResponses, FORM);
  if (response.kind === "elicit" && response.action === "accept") {
    return answersIn(response.content ?? {}, questions);
  }
  if (response.kind === "elicit") {
    const how = response.action === "decline" ? "declined to answer" : "dismissed the questions";
    throw new CallError("tool_failed", `The user ${how}; continue without the answers`);
  }
  if (!hasForms(server, request)) {
    throw new CallError(
      "unavailable",
      "Cannot ask the user: the MCP client does not offer elicitation; start the server with --ask=exec:PROGRAM",
    );
  }
  const version = server.getNegotiatedProtocolVersion() ?? MULTIPLE_CHOICE_SINCE;
  const form = formOf(questions, { hasMultipleChoice: version >= MULTIPLE_CHOICE_SINCE });
  onForm(inputRequired({ inputRequests: { [FORM]: inputRequired.elicit(form) } }));
  throw new CallError("cancelled", "The user has to be asked first");
}

/** Whether the client of a request shows forms. */
export function hasForms(server: Server, request: RequestContext): boolean {
  const { elicitation } = clientCapabilities(server, request);
  // A client that lists no modes supports forms.
  return elicitation !== undefined && (elicitation.form !== undefined || !elicitation.url);
}

/** Returns the capabilities of the client of a request. */
export function clientCapabilities(
  server: Server,
  { mcpReq }: RequestContext,
): ClientCapabilities {
  // Clients of revision 2026-07-28 send their capabilities with each request.
  const envelope = mcpReq.envelope as Record<string, ClientCapabilities> | undefined;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {};
}

/** Creates one form with two fields for each question: the choice, and the user's own words. */
function formOf(
  questions: Questions,
  { hasMultipleChoice }: { hasMultipleChoice: boolean },
): ElicitRequestFormParams {
  const properties: ElicitRequestFormParams["requestedSchema"]["properties"] = {};
  for (const [index, { question, header, options, multiSelect }] of questions.entries()) {
    const labels = options.map(({ label }) => label);
    const title = header;
    properties[`choice_${index + 1}`] = multiSelect && hasMultipleChoice
      ? { type: "array", title, description: question, items: { type: "string", enum: labels } }
      : multiSelect
      ? { type: "string", title, description: `${question} (${labels.join(", ")})` }
      : { type: "string", title, description: question, enum: labels };
    properties[`own_words_${index + 1}`] = {
      type: "string",
      title: `${header}: in your own words`,
      description: "Instead of a choice",
    };
  }
  const texts = questions.map(({ question, options }) =>
    [question, ...options.map(({ label, description }) => `- ${label}: ${description}`)].join("\n")
  );
  return { message: texts.join("\n\n"), requestedSchema: { type: "object", properties } };
}

/** Returns the answers of a form, by question. Throws `tool_failed` for an unanswered question. */
function answersIn(
  content: Record<string, unknown>,
  questions: Questions,
): Record<string, string> {
  return Object.fromEntries(questions.map(({ question, options, multiSelect }, index) => {
    const own = content[`own_words_${index + 1}`];
    if (typeof own === "string" && own.trim() !== "") return [question, own.trim()];
    const choice = content[`choice_${index + 1}`];
    const chosen = Array.isArray(choice) ? choice : [choice];
    const known = (value: unknown) => options.some(({ label }) => label === value);
    const isFree = multiSelect && typeof choice === "string" && choice.trim() !== "";
    if (isFree || chosen.length > 0 && chosen.every(known)) return [question, chosen.join(", ")];
    throw new CallError("tool_failed", `The user left the question ${quote(question)} open`);
  }));
}
