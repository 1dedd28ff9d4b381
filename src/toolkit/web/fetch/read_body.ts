/**
 * The first `limit` bytes of a body, and whether there are more; the rest is not read. Tells
 * how many have come.
 */
export async function readBody(
  { body }: Response,
  limit: number,
  tell: (length: number) => void = () => {},
): Promise<{ bytes: Uint8Array<ArrayBuffer>; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    tell(length);
    if (length > limit) break;
  }
  const bytes = new Uint8Array(Math.min(length, limit));
  let at = 0;
  for (const chunk of chunks) {
    const part = chunk.subarray(0, bytes.length - at);
    bytes.set(part, at);
    at += part.length;
  }
  return { bytes, isCut: length > limit };
}
