import { isUtf8Prefix } from "../../../base/text/utf8.ts";
import { wideEncoding, wideName } from "./wide_text.ts";

const HEAD_BYTES = 4096;
const PDF_MARK = "%PDF-";
/** The first line of a PDF document, comments, and the beginning of its first object. */
const PDF_START = /%PDF-\d\.\d\s+(?:%[^\r\n]*[\r\n]\s*)*\d+ \d+ obj\b/;
const PDF_END = /%%EOF\s*$/;
/** The length of the end that is searched for the mark of the end, in bytes. */
const PDF_END_BYTES = 1024;

/** The kind of a file, by its first bytes. */
export type FileKind =
  | { is: "text" }
  | ImageKind
  | { is: "pdf"; name: string }
  | { is: "binary"; name: string };

/** A format of images: its name, such as `PNG`, and its media type. */
export type ImageKind = { is: "image"; name: string; mimeType: string };

/** The bytes in Latin-1 with which an image of each format begins. */
const IMAGES: readonly (readonly [name: string, start: RegExp])[] = [
  // deno-lint-ignore no-control-regex
  ["PNG", /^\x89PNG\r\n\x1a\n/],
  ["JPEG", /^\xff\xd8\xff/],
  ["GIF", /^GIF8[79]a/],
  ["WebP", /^RIFF[^]{4}WEBP/],
];

/** Name, bytes in Latin-1, and their offset. */
const SIGNATURES: readonly (readonly [name: string, bytes: string, at?: number])[] = [
  ["a gzip archive", "\x1f\x8b"],
  [
    "a zip archive (or a document made of one, such as .docx, .xlsx or .jar)",
    "PK\x03\x04",
  ],
  ["an empty zip archive", "PK\x05\x06"],
  ["an ELF program or library", "\x7fELF"],
  ["an SQLite database", "SQLite format 3\0"],
  ["a Windows program or library", "MZ"],
  ["a Mach-O program or library", "\xcf\xfa\xed\xfe"],
  ["a Java class or a Mach-O universal program", "\xca\xfe\xba\xbe"],
  ["a WebAssembly module", "\0asm"],
  ["a bzip2 archive", "BZh"],
  ["an xz archive", "\xfd7zXZ\0"],
  ["a Zstandard archive", "\x28\xb5\x2f\xfd"],
  ["a 7-Zip archive", "7z\xbc\xaf\x27\x1c"],
  ["a RAR archive", "Rar!\x1a\x07"],
  ["a tar archive", "ustar", 257],
  ["an old Microsoft Office document", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"],
  ["a TIFF image", "II*\0"],
  ["a TIFF image", "MM\0*"],
  ["an AVIF image", "ftypavif", 4],
  ["a HEIC image", "ftyphei", 4],
  ["an MP4 or QuickTime video", "ftyp", 4],
  ["a Windows icon", "\0\0\x01\0"],
  ["a BMP image", "BM"],
  ["a Wave sound", "WAVE", 8],
  ["an AVI video", "AVI ", 8],
  ["an MP3 sound", "ID3"],
  ["an Ogg sound or video", "OggS"],
  ["a FLAC sound", "fLaC"],
  ["a Matroska or WebM video", "\x1a\x45\xdf\xa3"],
  ["a WOFF font", "wOFF"],
  ["a WOFF2 font", "wOF2"],
  ["a TrueType font", "\0\x01\0\0"],
  ["an OpenType font", "OTTO"],
];

/**
 * The kind of a file by the first bytes of its content, never by its name. A file is binary if its
 * first 4 KiB have a NUL byte or over 30 % of characters that cannot be printed. Text in UTF-16 or
 * UTF-32 counts as binary, under its own name.
 */
export function fileKind(start: Uint8Array<ArrayBuffer>): FileKind {
  const head = start.subarray(0, HEAD_BYTES);
  const bytes = latin1(head);
  if (isPdf(start, bytes)) return { is: "pdf", name: "a PDF document" };
  if (/^(?:\xff\xfe\0\0|\0\0\xfe\xff)/.test(bytes)) return { is: "binary", name: "UTF-32 text" };
  const wide = wideEncoding(head);
  if (wide) return { is: "binary", name: wideName(wide) };
  const why = whyBinary(head);
  const image = imageKind(head);
  // A long comment in an image can look like text, and a text can begin with "GIF89a".
  if (image && (why || !isUtf8Prefix(head))) return image;
  if (!why) return { is: "text" };
  const [name] = SIGNATURES.find(([, mark, at]) => bytes.startsWith(mark, at)) ?? [];
  return { is: "binary", name: name ?? `a binary file (${why})` };
}

/** The name of a kind other than text, with its article: `a PNG image`, `a PDF document`. */
export function kindName(kind: Exclude<FileKind, { is: "text" }>): string {
  return kind.is === "image" ? `a ${kind.name} image` : kind.name;
}

/** The image type that the first bytes name: PNG, JPEG, GIF or WebP. */
export function imageKind(head: Uint8Array): ImageKind | undefined {
  const start = latin1(head.subarray(0, 12));
  const name = IMAGES.find(([, pattern]) => pattern.test(start))?.[0];
  if (name === undefined) return undefined;
  return { is: "image", name, mimeType: `image/${name.toLowerCase()}` };
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/**
 * A PDF document may begin up to 1,024 bytes late. After a text, such as in this very file, the
 * mark counts only if the bytes are not UTF-8, or if a document begins there and nothing follows it.
 * `bytes` are the head of `start`.
 */
function isPdf(start: Uint8Array<ArrayBuffer>, bytes: string): boolean {
  const at = bytes.slice(0, 1024 + PDF_MARK.length).indexOf(PDF_MARK);
  if (at === -1) return false;
  if (/^(?:\xef\xbb\xbf)?[\s\0]*$/.test(bytes.slice(0, at))) return true;
  if (!isUtf8Prefix(start.subarray(0, HEAD_BYTES))) return true;
  if (!PDF_START.test(bytes.slice(at))) return false;
  return PDF_END.test(latin1(start.subarray(-PDF_END_BYTES))) || !isUtf8Prefix(start);
}

function whyBinary(head: Uint8Array<ArrayBuffer>): string | undefined {
  if (head.includes(0)) return "it contains NUL bytes";
  // With `stream`, a character that ends after the 4 KiB does not count as wrong.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(head, { stream: true });
  const wrong = text.split("\ufffd").length - 1;
  // deno-lint-ignore no-control-regex
  const controls = text.match(/[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f-\x9f]/g)?.length ?? 0;
  if (wrong + controls <= text.length * 0.3) return undefined;
  const why = "more than 30 % of its first 4 KiB is not printable UTF-8 text";
  // Text in an old encoding has few control characters, and compressed data has many.
  return controls > text.length * 0.05
    ? why
    : `${why}; if it is text in another encoding, convert it first, such as with iconv -f GB18030 -t UTF-8`;
}
