import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import type { Question } from "../../registry/services.ts";

/** The name of the one form in a request for input. */
const FORM = "questions";

/** The first revision in which several of a list may be chosen in a form. */
const WITH_LISTS = "2025-11-25";

/** Asks the person at an MCP client, through elicitation. */
export class ClientQuestions {
  /** What the client is to be answered: that the person has to be asked first. */
  open: InputRequiredResult | undefined;

  /** Takes the connection's server and the request. */
  constructor(readonly server: Server, readonly context: ServerContext) {}

  /**
   * The answers that came with the request. Without any the call ends here by a throw, and
   * {@link open} holds the form. Throws `unavailable` for a client that has no forms, and
   * `tool_failed` when the person declines.
   */
  readonly ask = (questions: readonly Question[]): Promise<Record<string, string>> => {
    const said = inputResponse(this.context.mcpReq.inputResponses, FORM);
    if (said.kind === "elicit" && said.action === "accept") {
      return Promise.resolve(answersIn(said.content ?? {}, questions));
    }
    if (said.kind === "elicit") {
      const how = said.action === "decline" ? "declined to answer" : "dismissed the questions";
      throw new CallError("tool_failed", `The person ${how}; go on without the answers`);
    }
    if (!this.#hasForms()) {
      throw new CallError(
        "unavailable",
        "Cannot ask a person: the MCP client does not offer elicitation; start the server with " +
          "--ask=exec:PROGRAM",
      );
    }
    const version = this.server.getNegotiatedProtocolVersion() ?? WITH_LISTS;
    const form = formOf(questions, { withLists: version >= WITH_LISTS });
    this.open = inputRequired({ inputRequests: { [FORM]: inputRequired.elicit(form) } });
    throw new CallError("cancelled", "The person has to be asked first");
  };

  #hasForms(): boolean {
    const { mcpReq } = this.context;
    // Since 2026-07-28 a client says what it can with each request.
    const envelope = mcpReq.envelope as Record<string, ClientCapabilities> | undefined;
    const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] ??
      this.server.getClientCapabilities();
    const elicitation = capabilities?.elicitation;
    // What says nothing of modes means forms.
    return elicitation !== undefined && (elicitation.form !== undefined || !elicitation.url);
  }
}

type Properties = ElicitRequestFormParams["requestedSchema"]["properties"];

/** The questions as one form: a field for the choice, and one for the person's own words, each. */
function formOf(
  questions: readonly Question[],
  { withLists }: { withLists: boolean },
): ElicitRequestFormParams {
  const properties: Properties = {};
  for (const [index, { question, header, options, multiSelect }] of questions.entries()) {
    const labels = options.map(({ label }) => label);
    const title = header;
    properties[`choice_${index + 1}`] = multiSelect && withLists
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
  return {
    message: questions.map(textOf).join("\n\n"),
    requestedSchema: { type: "object", properties },
  };
}

function textOf({ question, options }: Question): string {
  const lines = options.map(({ label, description }) => `- ${label}: ${description}`);
  return [question, ...lines].join("\n");
}

/** The answers of a form, by question. Throws `tool_failed` for a question without one. */
function answersIn(
  content: Record<string, unknown>,
  questions: readonly Question[],
): Record<string, string> {
  return Object.fromEntries(questions.map(({ question, options, multiSelect }, index) => {
    const own = content[`own_words_${index + 1}`];
    if (typeof own === "string" && own.trim() !== "") return [question, own.trim()];
    const choice = content[`choice_${index + 1}`];
    const chosen = Array.isArray(choice) ? choice : [choice];
    const known = (value: unknown) => options.some(({ label }) => label === value);
    const isFree = multiSelect && typeof choice === "string" && choice.trim() !== "";
    if (isFree || chosen.length > 0 && chosen.every(known)) return [question, chosen.join(", ")];
    throw new CallError(
      "tool_failed",
      `The person left the question ${quote(question)} open`,
    );
  }));
}
