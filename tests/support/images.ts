/** Real images of any size. */

/** The properties of a PNG image. */
export interface PngOptions {
  width: number;
  height: number;
  /** Whether the pixels are random, so that the image cannot be compressed. */
  isNoise?: boolean;
  /** Whether only the first row has pixels, although the header says otherwise. */
  isHollow?: boolean;
}

/** Makes a PNG image in color. */
export async function png(
  { width, height, isNoise = false, isHollow = false }: PngOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const row = new Uint8Array(width * 3 + 1);
  const pixels = new ReadableStream<BufferSource>({
    start: (stream) => {
      for (let y = 0; y < (isHollow ? 1 : height); y++) {
        const line = row.slice();
        for (let at = 1; isNoise && at < line.length; at += 60_000) {
          crypto.getRandomValues(line.subarray(at, at + 60_000));
        }
        stream.enqueue(line);
      }
      stream.close();
    },
  });
  const packed = pixels.pipeThrough(new CompressionStream("deflate"));
  const data = new Uint8Array(await new Response(packed).arrayBuffer());
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, 2], 8);
  const parts = [
    Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    ...[chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", new Uint8Array())],
  ];
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function chunk(type: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(12 + data.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  bytes.set(new TextEncoder().encode(type), 4);
  bytes.set(data, 8);
  let crc = ~0;
  for (const byte of bytes.subarray(4, 8 + data.length)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
  }
  view.setUint32(8 + data.length, ~crc >>> 0);
  return bytes;
}

/** Makes a small image of each kind, with its description. */
export async function smallImages() {
  const jpeg = [
    ...[0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc2, 0, 11, 8, 0, 20, 0, 30, 1, 1, 0x11, 0],
    ...[0xff, 0xda, 0, 8, 1, 1, 0, 0, 0x3f, 0, 1, 2, 3, 4, 0xff, 0xd9],
  ];
  const base64 = (text: string) => Uint8Array.fromBase64(text);
  const vp8x = new TextEncoder().encode("RIFF\x16\0\0\0WEBPVP8X\n\0\0\0\0\0\0\0\x63\0\0\x31\0\0");
  const gif = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
  return [
    {
      ...{ name: "PNG image", mimeType: "image/png", size: "30 × 20" },
      content: await png({ width: 30, height: 20 }),
    },
    {
      ...{ name: "JPEG image", mimeType: "image/jpeg", size: "30 × 20" },
      content: Uint8Array.from(jpeg),
    },
    { name: "GIF image", mimeType: "image/gif", size: "1 × 1", content: base64(gif) },
    {
      ...{ name: "WebP image", mimeType: "image/webp", size: "1 × 1" },
      content: base64("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="),
    },
    { name: "WebP image", mimeType: "image/webp", size: "100 × 50", content: vp8x },
  ];
}
