/** An answer of HTTP that refuses a request, with a JSON-RPC error that says why. */
export function httpError(status: number, message: string, headers: HeadersInit = {}): Response {
  const error = { code: status === 400 ? -32600 : -32000, message };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status, headers });
}
