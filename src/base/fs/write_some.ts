/** The pause after which a stream without room is tried again, in milliseconds. */
const PAUSE_MS = 10;

/**
 * Writes the beginning of `data`, and returns the number of written bytes. If another program has made
 * the stream non-blocking and it has no room, the result is 0 after a short pause. Rejects with the
 * errors of the stream.
 */
export async function writeSome(
  sink: { write(data: Uint8Array): Promise<number> },
  data: Uint8Array,
): Promise<number> {
  try {
    return await sink.write(data);
  } catch (error) {
    if (!(error instanceof Deno.errors.WouldBlock)) throw error;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    return 0;
  }
}
