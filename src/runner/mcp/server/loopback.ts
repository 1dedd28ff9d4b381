/** This machine's own names, as a Host header writes them. */
export const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Whether only this machine reaches what listens at that host. */
export function isLoopback(hostname: string): boolean {
  return hostname === "::1" || LOOPBACK.includes(hostname);
}
