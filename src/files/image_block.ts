import type { ContentBlock } from "../registry/content.ts";
import { byteSize } from "./amounts.ts";

/** The largest image that is handed to a model, in bytes before base64. */
export const IMAGE_LIMIT = 5 * 1024 * 1024;

/** An image as a block for the model, and a line of text for clients that show none. */
export function imageBlocks(
  bytes: Uint8Array,
  kind: { name: string; mimeType: string },
): ContentBlock[] {
  return [
    { type: "image", data: bytes.toBase64(), mimeType: kind.mimeType },
    { type: "text", text: `[${kind.name} image, ${byteSize(bytes.length)}]` },
  ];
}
