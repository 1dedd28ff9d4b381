import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { tar, type TarEntry } from "../tar.ts";

/** A file of a package, without its mode. */
export interface PackageFile {
  /** The path in the package. */
  name: string;
  content: Uint8Array | string;
  /** Default: false. */
  isExecutable?: boolean;
}

/**
 * A compressed archive of files below a directory, which must be `""` or end with a slash. Parent
 * directories have entries too. The same files give the same bytes.
 */
export function tarGz(directory: string, files: readonly PackageFile[]): Uint8Array {
  const paths = files.map(({ name }) => `${directory}${name}`);
  const parents = new Set(paths.flatMap((path) => {
    const parts = path.split("/").slice(0, -1);
    return parts.map((_, at) => `${parts.slice(0, at + 1).join("/")}/`);
  }));
  parents.delete("./");
  const entries: TarEntry[] = [
    ...[...parents].map((name) => ({ name, mode: 0o755, content: new Uint8Array() })),
    ...files.map(({ name, content, isExecutable = false }) => ({
      name: `${directory}${name}`,
      mode: isExecutable ? 0o755 : 0o644,
      content: bytesOf(content),
    })),
  ];
  return gzipSync(tar(entries.sort((a, b) => a.name < b.name ? -1 : 1)), { level: 6 });
}

/** The bytes of a string in UTF-8. Bytes are returned as they are. */
export function bytesOf(content: Uint8Array | string): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}

/** The SHA-256 of bytes in hexadecimal digits. */
export function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
