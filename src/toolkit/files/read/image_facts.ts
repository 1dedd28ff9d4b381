/** The size of an image, in pixels. */
export type ImageSize = Record<"width" | "height", number>;

/**
 * The size of a PNG, JPEG, GIF or WebP image, from its header. For an image that cannot be shown,
 * returns the reason: it is truncated, or its format shows that it is damaged.
 */
export function imageFacts(bytes: Uint8Array<ArrayBuffer>, name: string): ImageSize | string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const facts = READERS[name]?.(view) ?? DAMAGED;
    if (typeof facts === "string") return facts;
    return facts.width > 0 && facts.height > 0 ? facts : DAMAGED;
  } catch (error) {
    if (error instanceof RangeError) return CUT;
    throw error;
  }
}

const CUT = "it is truncated";
const DAMAGED = "it is damaged";

const READERS: Readonly<Record<string, (view: DataView) => ImageSize | string>> = {
  PNG: readPng,
  JPEG: readJpeg,
  GIF: readGif,
  WebP: readWebp,
};

/** Portable Network Graphics (W3C), 5: chunks, each with a checksum, IHDR first and IEND last. */
function readPng(view: DataView): ImageSize | string {
  if (view.getUint32(12) !== 0x49484452) return DAMAGED;
  const size = { width: view.getUint32(16), height: view.getUint32(20) };
  for (let at = 8;;) {
    const length = view.getUint32(at);
    const type = view.getUint32(at + 4);
    if (view.getUint32(at + 8 + length) !== checksum(view, { from: at + 4, length: length + 4 })) {
      return DAMAGED;
    }
    if (type === 0x49454e44) return size;
    at += 12 + length;
  }
}

/** CRC-32 (ISO 3309), as PNG has it. */
function checksum(view: DataView, { from, length }: { from: number; length: number }): number {
  let crc = 0xffffffff;
  for (let at = from; at < from + length; at++) {
    crc = TABLE[(crc ^ view.getUint8(at)) & 0xff]! ^ (crc >>> 8);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** ITU-T T.81, annex B: segments up to the scan, then data up to the end of the image. */
function readJpeg(view: DataView): ImageSize | string {
  let size: ImageSize | undefined;
  for (let at = 2;;) {
    if (view.getUint8(at) !== 0xff) return DAMAGED;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker === 0xd9) return DAMAGED;
    // Three markers in the range of frames mean tables.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      size = { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    }
    at += 2 + view.getUint16(at + 2);
    if (marker === 0xda) return size === undefined ? DAMAGED : hasJpegEnd(view, at) ? size : CUT;
  }
}

function hasJpegEnd(view: DataView, from: number): boolean {
  for (let at = view.byteLength - 2; at >= from; at--) {
    if (view.getUint8(at) === 0xff && view.getUint8(at + 1) === 0xd9) return true;
  }
  return false;
}

/** GIF89a, 17 to 27: blocks up to the trailer. */
function readGif(view: DataView): ImageSize | string {
  const size = { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  const colours = (flags: number) => flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
  const afterBlocks = (from: number) => {
    let at = from;
    while (view.getUint8(at) !== 0) at += 1 + view.getUint8(at);
    return at + 1;
  };
  for (let at = 13 + colours(view.getUint8(10));;) {
    const introducer = view.getUint8(at);
    if (introducer === 0x3b) return size;
    if (introducer === 0x21) at = afterBlocks(at + 2);
    else if (introducer === 0x2c) at = afterBlocks(at + 11 + colours(view.getUint8(at + 9)));
    else return DAMAGED;
  }
}

/** RFC 9649: one of three headers, in a RIFF file that says its length. */
function readWebp(view: DataView): ImageSize | string {
  if (view.getUint32(4, true) + 8 > view.byteLength) return CUT;
  const three = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  switch (view.getUint32(12)) {
    case 0x56503858:
      return { width: three(24) + 1, height: three(27) + 1 };
    case 0x5650384c: {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 0x56503820:
      return {
        width: view.getUint16(26, true) & 0x3fff,
        height: view.getUint16(28, true) & 0x3fff,
      };
    default:
      return DAMAGED;
  }
}
