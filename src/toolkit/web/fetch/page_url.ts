import { canonicalHost, isInnerName, neededHost, webUrl } from "../../../base/host.ts";
import { quote } from "../../../base/text/quote.ts";

/**
 * The URL from which a page is fetched: without a fragment, and with https instead of http for a
 * public host name without a port. Throws for any URL that is not http or https.
 */
export function pageUrl(given: string, base?: URL): URL {
  const url = webUrl(given, base);
  if (url === undefined) {
    const isUrl = URL.canParse(given, base);
    const why = isUrl ? "only http and https URLs are supported" : "it is not a URL";
    throw new Error(`Cannot fetch ${quote(given)}: ${why}`);
  }
  if (url.username !== "" || url.password !== "") {
    const why = "leave out the user name and the password before the @";
    throw new Error(`Cannot fetch from ${quote(url.host)}: ${why}`);
  }
  try {
    url.hostname = canonicalHost(url.hostname);
  } catch (error) {
    throw new Error(`Cannot fetch ${quote(given)}: ${(error as Error).message}`);
  }
  url.hash = "";
  const saysPort = /^http:\/\/[^/?#]*:80([/?#]|$)/i.test(given);
  if (url.protocol === "http:" && url.port === "" && !saysPort && isPublicName(url.hostname)) {
    url.protocol = "https:";
  }
  return url;
}

/** The `host:port` that a page needs. Throws for any URL that is not http or https. */
export function pageHost(given: string): string {
  return neededHost(pageUrl(given));
}

/** Returns whether a host is a name that, by its form, is public. */
function isPublicName(host: string): boolean {
  return host.includes(".") && !/[\]\d]$/.test(host) && !isInnerName(host);
}
