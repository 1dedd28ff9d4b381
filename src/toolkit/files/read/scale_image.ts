import { requestFromWorker } from "../../../base/async/worker_request.ts";
import type { ImageOrder, ImageReply } from "./image_worker.ts";

/** A tool's own limit is 30 s. */
const LIMIT_MS = 25_000;

/**
 * Scales an image, in a thread of its own that has no permission and gets 25 seconds. Resolves
 * to why that cannot be done, as the end of a message, when the image is damaged or it takes
 * too long. Rejects with the signal's reason when it is aborted.
 */
export async function scaleImage(order: ImageOrder, signal: AbortSignal): Promise<ImageReply> {
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
