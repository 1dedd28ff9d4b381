import type { ResourceContents } from "../../base/content.ts";
import { CallError } from "../../base/errors.ts";
import { byteSize } from "../../base/text/amounts.ts";
import { quote } from "../../base/text/quote.ts";
import { decodeUtf8 } from "../../base/text/utf8.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { callFile } from "../files/call_file.ts";
import { checkFilePath } from "../files/check_path.ts";
import { openSource } from "../files/read/byte_source.ts";
import { fileKind } from "../files/read/file_kind.ts";
import { mediaType } from "./media_type.ts";

/** The most bytes of a file that is returned: a client takes the whole of it in one message. */
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Reads a whole file by its `file:` address, as text if it is UTF-8. Throws a readable error for a
 * missing or larger file, and for anything that is not a regular file.
 */
export async function readFileResource(uri: string, ctx: ToolContext): Promise<ResourceContents> {
  const given = pathOfAddress(uri);
  const file = callFile(ctx, { given, action: "read" });
  using source = await openSource(file, ctx.signal);
  const advice = `a resource has ${byteSize(MAX_BYTES)} at most; a tool can read a part of it`;
  const bytes = await source.readAll(MAX_BYTES, advice);
  const text = fileKind(bytes).is === "text" ? decodeUtf8(bytes) : undefined;
  const mimeType = mediaType(given, bytes, text !== undefined);
  return text === undefined ? { uri, mimeType, blob: bytes.toBase64() } : { uri, mimeType, text };
}

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
