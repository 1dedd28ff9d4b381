/**
 * The names of this machine as a Host header has them. This file imports nothing: the command line
 * needs it, which must not load the SDK.
 */
export const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Returns true if a server that listens on this host can be reached only from this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "::1" || LOOPBACK.includes(hostname);
}
