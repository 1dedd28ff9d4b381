/** One file of an archive. */
export interface TarEntry {
  /** Relative path, at most 100 bytes of ASCII. A directory ends with a slash. */
  name: string;
  /** Permission bits, such as 0o600. */
  mode: number;
  /** The bytes of the file. */
  content: Uint8Array;
}

const BLOCK = 512;

/** The time of every file: 2020-01-01, because some programs warn about 1970. */
const MODIFIED = 1577836800;

/**
 * Returns an archive in the ustar format. The same entries give the same bytes: they belong to user
 * and group 0, and were last changed in 2020.
 *
 * @throws {RangeError} for a name that is too long, absolute, or leaves the archive.
 */
export function tar(entries: TarEntry[]): Uint8Array {
  const parts = entries.flatMap((entry) => [
    header(entry),
    entry.content,
    new Uint8Array((BLOCK - entry.content.length % BLOCK) % BLOCK),
  ]);
  parts.push(new Uint8Array(2 * BLOCK));
  const archive = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    archive.set(part, at);
    at += part.length;
  }
  return archive;
}

function header({ name, mode, content }: TarEntry): Uint8Array {
  const isName = /^(?=.{1,100}$)(?:\.\/)?(?:[\w@+-][\w.@+-]*\/|\.[\w-][\w.-]*\/)*(?:[\w.@+-]+)?$/;
  if (!isName.test(name) || name.split("/").includes("..")) {
    throw new RangeError(`Cannot archive a file named "${name}"`);
  }
  const block = new Uint8Array(BLOCK);
  const write = (offset: number, text: string) => block.set(new TextEncoder().encode(text), offset);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0") + "\0";
  write(0, name);
  write(100, octal(mode, 7));
  write(108, octal(0, 7));
  write(116, octal(0, 7));
  write(124, octal(content.length, 11));
  write(136, octal(MODIFIED, 11));
  write(148, " ".repeat(8));
  const [FILE, DIRECTORY] = ["0", "5"];
  write(156, name.endsWith("/") ? DIRECTORY : FILE);
  write(257, "ustar\0" + "00");
  const sum = block.reduce((total, byte) => total + byte, 0);
  write(148, octal(sum, 6) + " ");
  return block;
}
