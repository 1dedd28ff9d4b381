import { Parser, type Tree } from "web-tree-sitter";
import { late } from "../../base/async/late.ts";
import { loadBytes } from "../../base/load_bytes.ts";
import { Yielder } from "../../base/async/yielder.ts";
import { collectNames, type FileNames } from "./file_names.ts";
import type { Dialect } from "./languages.ts";
import { readRegular } from "../../base/fs/system_file.ts";
import { trimSurrogates } from "../../base/text/truncate.ts";
import { markedEncoding } from "../../base/text/utf8.ts";
import { byteSize } from "../../base/text/amounts.ts";

const startTreeSitter = late(async () => {
  await Parser.init({
    wasmBinary: await loadBytes("npm:web-tree-sitter@0.27.1/web-tree-sitter.wasm"),
  });
});

/** The longest time for parsing one file, in milliseconds. */
const MAX_PARSE_MS = 5000;

/** The time after which parsing is interrupted for the event loop, in milliseconds. */
const TURN_MS = 50;

/** Parses files with tree-sitter in WebAssembly. A grammar is loaded when the first file needs it. */
export class SourceParser {
  #parser = new Parser();

  private constructor(readonly yielder: Yielder) {}

  /** Starts tree-sitter for a call with this signal. It reads no file. */
  static async start(signal: AbortSignal): Promise<SourceParser> {
    await startTreeSitter();
    return new SourceParser(new Yielder(signal));
  }

  /**
   * The syntax tree of a text, with positions in UTF-16 units. The caller must delete it. Returns
   * `undefined` after five seconds. Throws the signal's reason when the signal is aborted; the
   * parser cannot be used after that.
   */
  async parse(text: string, dialect: Dialect): Promise<Tree | undefined> {
    this.#parser.setLanguage(await dialect.load());
    let tree: Tree | null = null;
    const end = performance.now() + MAX_PARSE_MS;
    for (let now = performance.now(); tree === null && now < end; now = performance.now()) {
      const progressCallback = () => performance.now() > now + TURN_MS;
      tree = this.#parser.parse(text, null, { progressCallback });
      if (tree === null) await this.yielder.yield();
    }
    if (tree === null) this.#parser.reset();
    return tree ?? undefined;
  }

  /** Frees the parser's memory. */
  [Symbol.dispose](): void {
    this.#parser.delete();
  }
}

/** A parsed file. */
export interface ParsedFile extends FileNames {
  /** Its language. */
  dialect: Dialect;
  /** Its lines, without line ends. */
  lines: string[];
}

/**
 * Parses a text and finds all its names, or the occurrences of one name. It takes the first dialect
 * without syntax errors, or else the one with the fewest; dialects whose `sign` matches
 * come first. Returns `undefined` if parsing takes too long.
 */
export async function parseFile(
  text: string,
  options: { dialects: readonly Dialect[]; parser: SourceParser; name?: string | undefined },
): Promise<ParsedFile | undefined> {
  const { dialects, parser, name } = options;
  let best: (FileNames & { dialect: Dialect }) | undefined;
  const likelihood = ({ sign }: Dialect) => sign?.test(text) ? 0 : 1;
  for (const dialect of dialects.toSorted((a, b) => likelihood(a) - likelihood(b))) {
    const tree = await parser.parse(text, dialect);
    if (tree === undefined) continue;
    const { yielder } = parser;
    const found = await collectNames(tree, { rules: dialect.rules, name, yielder })
      .finally(() => tree.delete());
    if (best === undefined || found.errorLines.length < best.errorLines.length) {
      best = { ...found, dialect };
    }
    if (best.errorLines.length === 0) break;
  }
  return best && { ...best, lines: text.split(/\r?\n/) };
}

/**
 * Reads a regular file of at most `limit` bytes, in UTF-8, or in UTF-16 with a byte order mark, which
 * is removed. `fault` is the reason why the file is not searched. Throws the errors of the system.
 */
export function readSource(path: string, limit: number): { text: string } | { fault: string } {
  const { isFile, size } = Deno.statSync(path);
  if (!isFile) return { fault: "it is not a regular file" };
  if (size > limit) return { fault: `${byteSize(size)}, and ${byteSize(limit)} is the most` };
  const bytes = readRegular(path);
  const encoding = markedEncoding(bytes) ?? "utf-8";
  if (encoding === "utf-8" && bytes.includes(0)) return { fault: "it is binary" };
  return { text: new TextDecoder(encoding).decode(bytes) };
}

/** The longest line that is shown, in UTF-16 units. */
const MAX_LINE = 300;

/** The most of a long line before the name. */
const MAX_BEFORE = 100;

/** A line of source to show: trimmed, and if it is long, the part around the name in it. */
export function sourceLine(line = "", name: string): { text: string; isCut: boolean } {
  const text = line.trim();
  if (text.length <= MAX_LINE) return { text, isCut: false };
  // A name may come after its owner, as in `Shape.area`.
  const at = text.indexOf(/[^.:#\\]*$/.exec(name)![0]);
  const start = at < MAX_LINE - MAX_BEFORE ? 0 : Math.min(at - MAX_BEFORE, text.length - MAX_LINE);
  const kept = (start > 0 ? "…" : "") + trimSurrogates(text.slice(start, start + MAX_LINE));
  return { text: `${kept} [… cut: a line of ${text.length} characters]`, isCut: true };
}

/** The most lines with errors that a message names. */
const MAX_LINES = 5;

/** The lines with syntax errors as a text: `line 3`, `lines 3, 9 and 12 more`. */
export function formatErrorLines(lines: readonly number[]): string {
  const all = [...new Set(lines)];
  const rest = all.length - MAX_LINES;
  const named = all.slice(0, MAX_LINES).join(", ");
  return `line${all.length === 1 ? "" : "s"} ${named}${rest > 0 ? ` and ${rest} more` : ""}`;
}
