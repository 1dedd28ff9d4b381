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
