import { concat } from "@std/bytes/concat";

/**
 * Reads the first `limit` bytes of a body, and returns whether there are more; the rest is not read.
 * `onProgress` is called with the number of bytes so far.
 */
export async function readBody(
  { body }: Response,
  limit: number,
  onProgress: (length: number) => void = () => {},
): Promise<{ bytes: Uint8Array<ArrayBuffer>; isCut: boolean }> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    onProgress(length);
    if (length > limit) break;
  }
  return { bytes: concat(chunks).subarray(0, limit), isCut: length > limit };
}
