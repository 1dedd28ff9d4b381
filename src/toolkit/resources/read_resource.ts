import type { ResourceContents } from "../../base/content.ts";
import { byteSize } from "../../base/text/amounts.ts";
import { decodeUtf8 } from "../../base/text/utf8.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { callFile } from "../files/call_file.ts";
import { openSource } from "../files/read/byte_source.ts";
import { fileKind } from "../files/read/file_kind.ts";
import { pathOfAddress } from "./file_address.ts";
import { mediaType } from "./media_type.ts";

/** The most bytes of a file that is returned: a client takes the whole of it in one message. */
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Reads a whole file by its `file:` address, as text if it is UTF-8. Throws a readable error for a
 * missing or larger file, and for anything that is not a regular file.
 */
export async function readResource(uri: string, ctx: ToolContext): Promise<ResourceContents> {
  const given = pathOfAddress(uri);
  const file = callFile(ctx, { given, action: "read" });
  using source = await openSource(file, ctx.signal);
  const advice = `a resource has ${byteSize(MAX_BYTES)} at most; a tool can read a part of it`;
  const bytes = await source.readAll(MAX_BYTES, advice);
  const text = fileKind(bytes).is === "text" ? decodeUtf8(bytes) : undefined;
  const mimeType = mediaType(given, bytes, text !== undefined);
  return text === undefined ? { uri, mimeType, blob: bytes.toBase64() } : { uri, mimeType, text };
}
