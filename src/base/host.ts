/** Names of hosts in the one form that they are compared in. */

/**
 * A host as the URL standard writes it, without a last dot: lower case, IPv4 in any spelling
 * as `127.0.0.1`, IPv6 in brackets. Throws for an invalid host.
 */
export function canonicalHost(given: string): string {
  const bare = given.replace(/\.$/, "");
  if (bare.includes(":") && !/^\[.*\]$/.test(bare)) {
    throw new Error("write an IPv6 address in brackets and the port after them");
  }
  const url = `http://${bare}/`;
  const isHost = bare !== "" && !/[\s/?#@\\%*]/.test(bare) && URL.canParse(url);
  const host = isHost ? new URL(url).hostname : "";
  if (host === "" || /^\.|\.\.|\.$/.test(host)) throw new Error("it is not a host name");
  return host;
}

/** The `host:port` that a request for a URL needs. Throws for a URL with an invalid host. */
export function neededHost({ protocol, hostname, port }: URL): string {
  return `${canonicalHost(hostname)}:${port || (protocol === "https:" ? 443 : 80)}`;
}

/** Takes the canonical host of a flag or a need apart; what is not said is empty. */
export function splitHost(text: string): { host: string; port: string } {
  const at = text.lastIndexOf(":");
  const hasPort = at >= 0 && !text.endsWith("]") && !text.includes("/");
  return hasPort ? { host: text.slice(0, at), port: text.slice(at + 1) } : { host: text, port: "" };
}

/** An address as it stands before a port: IPv6 in brackets. */
export function withBrackets(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

/** A host without the brackets of IPv6. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

/** A string as an http or https URL; `undefined` for anything else. */
export function webUrl(text: string, base?: URL): URL | undefined {
  const url = URL.parse(text, base);
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** Whether a name stands for this machine or its network, whatever it resolves to. */
export function isInnerName(host: string): boolean {
  return /(^|\.)(localhost|local|internal)$/.test(host);
}

/** The names of this machine as a Host header has them. */
export const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Whether a server that listens on this host can be reached only from this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "::1" || LOOPBACK.includes(hostname);
}
