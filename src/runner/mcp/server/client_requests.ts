import {
  createRequestStateCodec,
  type InputRequest,
  inputRequired,
  type InputRequiredResult,
  type Server,
  type ServerContext as RequestContext,
} from "@modelcontextprotocol/server";
import { CallError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json/is_object.ts";
import type { ToolCall } from "../../call/call.ts";
import {
  checkSupport,
  type ClientRequest,
  type ClientService,
} from "../../registry/client_service.ts";
import { anyValue } from "../any_value.ts";
import { clientCapabilities } from "./client_questions.ts";

/** The answers so far, and the call that they belong to. */
interface RequestState {
  call: string;
  answers: Record<string, unknown>;
}

/** Signs the state that a client returns with the next request. Each process has its own key. */
const codec = createRequestStateCodec({ key: crypto.getRandomValues(new Uint8Array(32)) });

/** Checks the state of a request. Rejects for one that this process has not signed. */
export const verifyRequestState = codec.verify;

/** The requests of one tool call to the client that made it. */
export class ClientRequests implements ClientService {
  /**
   * Takes the call. `onForm` takes the result for a client of revision 2026-07-28, which repeats the
   * call with the answers.
   */
  constructor(
    readonly call: ToolCall,
    readonly of: {
      server: Server;
      request: RequestContext;
      onForm: (form: InputRequiredResult) => void;
    },
  ) {}

  /** Returns the names of the client's capabilities. */
  capabilities(): Promise<string[]> {
    const { server, request } = this.of;
    return Promise.resolve(Object.keys(clientCapabilities(server, request)));
  }

  /** Sends requests, and returns the results by the names of the requests. */
  async request(requests: Record<string, ClientRequest>): Promise<Record<string, unknown>> {
    const { mcpReq } = this.of.request;
    if (mcpReq.envelope === undefined) return await this.#send(requests);
    const id = await this.#id();
    const state = mcpReq.requestState<RequestState>();
    if (state !== undefined && state.call !== id) {
      throw new CallError("invalid_arguments", "The requestState belongs to another call");
    }
    const answers = { ...state?.answers, ...mcpReq.inputResponses };
    const open = Object.entries(requests).filter(([name]) => !isObject(answers[name]));
    if (open.length === 0) {
      return Object.fromEntries(Object.keys(requests).map((name) => [name, answers[name]]));
    }
    this.of.onForm(inputRequired({
      inputRequests: Object.fromEntries(open) as Record<string, InputRequest>,
      requestState: await codec.mint({ call: id, answers }),
    }));
    throw new CallError("cancelled", "The client has to answer first");
  }

  /** Sends the requests to a client of an older revision, which answers each by itself. */
  async #send(requests: Record<string, ClientRequest>): Promise<Record<string, unknown>> {
    const { mcpReq } = this.of.request;
    const known = await this.capabilities();
    const results: [name: string, result: unknown][] = [];
    for (const [name, request] of Object.entries(requests)) {
      checkSupport(request, known);
      try {
        results.push([name, await mcpReq.send(request, anyValue, { signal: mcpReq.signal })]);
      } catch (error) {
        const why = (error as Error).message;
        throw new CallError("tool_failed", `The MCP client refused ${request.method}: ${why}`);
      }
    }
    return Object.fromEntries(results);
  }

  async #id(): Promise<string> {
    const text = JSON.stringify([this.call.name, this.call.arguments]);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    return new Uint8Array(digest).toBase64();
  }
}
