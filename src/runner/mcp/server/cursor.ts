import { JsonRpcError } from "../json_rpc_error.ts";

/** Encodes the place where a page of a list begins. */
export function cursorTo(place: string): string {
  return new TextEncoder().encode(place).toBase64();
}

/** Returns the place of a cursor. Throws -32602 for an invalid one. */
export function decodeCursor(cursor: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.fromBase64(cursor));
  } catch {
    const message = "Invalid cursor; request the first page without one";
    throw new JsonRpcError("invalidParams", message);
  }
}
