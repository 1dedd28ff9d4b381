import type { ContentBlock } from "../../../base/content.ts";
import { byteSize, thousands } from "../../../base/text/amounts.ts";
import { imageFacts, type ImageSize } from "./image_facts.ts";
import { requestFromWorker } from "../../../base/async/worker_request.ts";
import type { ImageKind } from "./file_kind.ts";
import type { ImageOrder, ImageReply } from "./image_worker.ts";

/** The largest image file that is read, in bytes. */
export const IMAGE_LIMIT = 64 * 1024 * 1024;

/** The largest image that the APIs of models take, in bytes; it has 5 MiB in base64. */
const MAX_BYTES = 3_932_160;
/** The longest side that they take, in pixels. */
const MAX_SIDE = 8_000;
/** The longest side of an image that is scaled down. */
const SCALED_SIDE = 2_000;
/** The most pixels of an image that is scaled: each takes about eight bytes of memory. */
const MAX_PIXELS = 100_000_000;
/** The longest time for scaling, in milliseconds; a tool's own limit is 30 s. */
const LIMIT_MS = 25_000;

/**
 * An image as a block for the model, and a line of text for clients that show none. An image that
 * is larger than the APIs of models take is scaled down to at most 2,000 pixels a side. Returns the
 * reason, as the end of a message, when it is damaged or too large for that. Rejects with the
 * signal's reason when it is aborted.
 */
export async function imageBlocks(
  bytes: Uint8Array<ArrayBuffer>,
  { name, mimeType }: ImageKind,
  signal: AbortSignal,
): Promise<ContentBlock[] | string> {
  const size = imageFacts(bytes, name);
  if (typeof size === "string") return size;
  const { width, height } = size;
  const longest = Math.max(width, height);
  const facts = `${name} image, ${pixels(size)}, ${byteSize(bytes.length)}`;
  if (bytes.length <= MAX_BYTES && longest <= MAX_SIDE) return blocks(bytes, mimeType, facts);
  if (width * height > MAX_PIXELS) {
    return `it has ${pixels(size)} pixels, and images of more than ${
      thousands(MAX_PIXELS)
    } are not scaled down; ` +
      "make it smaller first";
  }
  const scaled = (side: number) =>
    Math.max(1, Math.round(side * Math.min(1, SCALED_SIDE / longest)));
  const smaller = { width: scaled(width), height: scaled(height) };
  const order = { bytes, ...smaller, isPhoto: name === "JPEG", most: MAX_BYTES };
  const reply = await scaleImage(order, signal);
  if ("fault" in reply) return reply.fault;
  const as = reply.name === name ? "" : ` as ${reply.name}`;
  const frame = name === "GIF" ? "; only the first frame" : "";
  const text = `${facts}; scaled to ${pixels(smaller)}${as}${frame}`;
  return blocks(reply.bytes, `image/${reply.name.toLowerCase()}`, text);
}

function blocks(bytes: Uint8Array, mimeType: string, text: string): ContentBlock[] {
  return [
    { type: "image", data: bytes.toBase64(), mimeType },
    { type: "text", text: `[${text}]` },
  ];
}

function pixels({ width, height }: ImageSize): string {
  return `${width} × ${height}`;
}

/**
 * Scales an image in a Worker without permissions, within 25 seconds. Resolves to the reason, as
 * the end of a message, when the image is damaged or scaling takes too long. Rejects with the
 * signal's reason when it is aborted.
 */
async function scaleImage(order: ImageOrder, signal: AbortSignal): Promise<ImageReply> {
  signal.throwIfAborted();
  const worker = new Worker(new URL("./image_worker.ts", import.meta.url), {
    type: "module",
    deno: { permissions: "none" },
  });
  return await requestFromWorker<ImageReply, ImageReply>(worker, {
    ...{ message: order, signal, timeoutMs: LIMIT_MS, replyOf: (reply) => reply },
    timedOut: () => ({ fault: `it takes more than ${LIMIT_MS / 1000} s to scale` }),
    failed: () => ({ fault: "it is damaged, or too large to be scaled" }),
  });
}
