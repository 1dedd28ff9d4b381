import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { checkFilePath } from "../files/check_path.ts";

/**
 * Returns the absolute path of a `file:` address. Throws `invalid_arguments` for an address that
 * another program could read as another path: with a host, a query, a fragment, an escaped slash or
 * an escape that is not UTF-8.
 */
export function pathOfAddress(address: string): string {
  const refuse = (why: string) => {
    const form = "the form is file:///absolute/path";
    return new CallError(
      "invalid_arguments",
      `Cannot use the address ${quote(address)}: ${why}; ${form}`,
    );
  };
  const url = /^file:\/\/\//i.test(address) ? URL.parse(address) : null;
  if (url === null) throw refuse("it does not begin with file:///");
  if (url.host !== "") throw refuse("it names a host");
  if (/[?#]/.test(address)) {
    throw refuse('it has a query or a fragment; in a name, "?" is "%3F" and "#" is "%23"');
  }
  if (/%2f|%00/i.test(address)) {
    throw refuse("a name in it has an escaped slash or NUL");
  }
  try {
    return checkFilePath(decodeURIComponent(url.pathname));
  } catch (error) {
    throw refuse(
      error instanceof URIError ? "an escape in it is not UTF-8" : (error as Error).message,
    );
  }
}
