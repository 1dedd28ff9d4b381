import { neededHost, webUrl } from "../../base/host.ts";

/**
 * The URL of an endpoint, or why a text is none. What is wrong is told without the text,
 * which may hold what is secret; what cannot hold it is told with every error.
 */
export function endpointUrl(text: string): URL | string {
  const url = webUrl(text);
  if (url === undefined) return URL.canParse(text) ? "is no http or https URL" : "is no URL";
  const part = url.username !== "" || url.password !== ""
    ? "a user name or a password"
    : url.search !== ""
    ? "a query"
    : url.hash !== ""
    ? "a fragment"
    : undefined;
  if (part !== undefined) {
    return `holds ${part}; leave it out: a key belongs in a variable of the environment`;
  }
  try {
    neededHost(url);
    return url;
  } catch (error) {
    return `names no host: ${(error as Error).message}`;
  }
}
