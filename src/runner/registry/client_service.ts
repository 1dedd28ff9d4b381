import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";

/** A request to an MCP client, with the parameters of MCP. */
export type ClientRequest =
  | { method: "elicitation/create"; params: Record<string, unknown> }
  | { method: "sampling/createMessage"; params: Record<string, unknown> }
  | { method: "roots/list"; params?: Record<string, unknown> };

/** The MCP client that a call came from. */
export interface ClientService {
  /** Returns the names of its capabilities, such as `sampling`. Without a client there are none. */
  capabilities(): Promise<string[]>;
  /**
   * Sends requests, and returns the results of MCP by the names of the requests. A client of
   * revision 2026-07-28 gets them as the result of the call and repeats the call with the answers:
   * then the tool runs again from its start, and earlier requests are answered at once. So a tool
   * asks before it changes anything, and gives each request its own name. Rejects with `unavailable`
   * if there is no client or it does not support the request.
   */
  request(requests: Record<string, ClientRequest>): Promise<Record<string, unknown>>;
}

/** The capability that a client needs for each request. */
const CAPABILITIES = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
} as const;

/** Throws `unavailable` if a client with these capabilities does not support the request. */
export function checkSupport({ method }: ClientRequest, capabilities: readonly string[]): void {
  const needed = CAPABILITIES[method];
  if (capabilities.includes(needed)) return;
  const why = `the MCP client does not offer ${needed}`;
  throw new CallError("unavailable", `Cannot send ${quote(method)}: ${why}`);
}
