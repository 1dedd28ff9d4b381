import { imageKind } from "../files/read/file_kind.ts";

/** The media types by the ends of names. */
const TYPES: Readonly<Record<string, string>> = {
  css: "text/css",
  csv: "text/csv",
  htm: "text/html",
  html: "text/html",
  js: "text/javascript",
  json: "application/json",
  jsonc: "application/json",
  md: "text/markdown",
  mjs: "text/javascript",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  pdf: "application/pdf",
  png: "image/png",
  gif: "image/gif",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  svg: "image/svg+xml",
  toml: "application/toml",
  wasm: "application/wasm",
  wav: "audio/wav",
  webp: "image/webp",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  zip: "application/zip",
};

/** The media type that the end of a name tells, if it tells one. */
export function mediaTypeOfName(path: string): string | undefined {
  const end = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(TYPES, end) ? TYPES[end] : undefined;
}

/** The media type of a file that is text or not. The content of an image counts, not its name. */
export function mediaType(path: string, bytes: Uint8Array, isText: boolean): string {
  const named = mediaTypeOfName(path);
  if (isText) return named ?? "text/plain";
  const image = imageKind(bytes);
  if (image !== undefined) return image.mimeType;
  return named === undefined || named.startsWith("text/") ? "application/octet-stream" : named;
}
