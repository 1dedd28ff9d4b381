import { canonicalHost } from "../../../base/host.ts";
import { quote } from "../../../base/text/quote.ts";

/** Domains in their one form. Throws for what is none, and when both lists name some. */
export function searchDomains(
  { allowed_domains = [], blocked_domains = [] }: {
    allowed_domains?: readonly string[];
    blocked_domains?: readonly string[];
  },
): { allowed: string[]; blocked: string[] } {
  if (allowed_domains.length > 0 && blocked_domains.length > 0) {
    throw new Error("Cannot search with allowed_domains and blocked_domains: give one of them");
  }
  return { allowed: allowed_domains.map(domainOf), blocked: blocked_domains.map(domainOf) };
}

function domainOf(given: string): string {
  try {
    return canonicalHost(given.replace(/^\*\./, ""));
  } catch {
    throw new Error(`Cannot take ${quote(given)} for a domain: name it alone, such as example.com`);
  }
}
