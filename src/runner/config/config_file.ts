import { dirname } from "@std/path/posix/dirname";
import { type Node, parse, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { CallError } from "../../base/errors.ts";
import { isObject } from "../../base/json/is_object.ts";
import { quote } from "../../base/text/quote.ts";
import { readRegularText } from "../../base/fs/system_file.ts";

/** The longest file that is read, in bytes. */
export const MAX_CONFIG_BYTES = 2 ** 20;

/** The extensions of JSON that are allowed, besides comments. */
const OPTIONS = { allowTrailingComma: true };

/** The error for a file that has a list or a scalar. */
export const NO_OBJECT = "it must contain one JSON object";

/** A parsed configuration file: a JSON object with comments. */
export interface ConfigFile {
  /** The file. */
  path: string;
  /** The directory for relative paths in the file. */
  directory: string;
  /** The text, without a mark of its encoding. */
  text: string;
  /** The parsed object. */
  value: Record<string, unknown>;
}

/** Reads a configuration file. Throws `unavailable` with the place of a syntax error. */
export function readConfigFile(path: string): ConfigFile {
  const text = readConfigText(path);
  const errors: ParseError[] = [];
  const value = plainJson(text) ?? parseShallow(path, () => parse(text, errors, OPTIONS));
  const [first] = errors;
  if (first !== undefined) {
    const { line, column } = lineAndColumn(text, first.offset);
    throw unusable(path, `line ${line}, column ${column}: ${syntaxFault(first)}`);
  }
  if (!isObject(value)) throw unusable(path, NO_OBJECT);
  return { path, directory: dirname(path), text, value };
}

/** The texts from this number of characters on are first parsed as JSON without comments. */
const MIN_LONG = 16 * 1024;

/**
 * Parses a long text that has no comments. A file of a thousand command tools takes the other parser
 * ten times as long. Returns undefined for any other string.
 */
function plainJson(text: string): Record<string, unknown> | undefined {
  if (text.length < MIN_LONG) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The tree of a file's text, if it is JSON at all, and every error in it. Throws `unavailable`. */
export function configTree(path: string, text: string): { root?: Node; errors: ParseError[] } {
  const errors: ParseError[] = [];
  const root = parseShallow(path, () => parseTree(text, errors, OPTIONS));
  return { errors, ...(root !== undefined && { root }) };
}

/** A syntax error in words. */
export function syntaxFault({ error }: ParseError): string {
  return printParseErrorCode(error).replace(/(?!^)([A-Z])/g, " $1").toLowerCase();
}

/** The line and column of an offset, both from 1. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: before.at(-1)!.length + 1 };
}

/** The error for a configuration that cannot be used. */
export function unusable(path: string, why: string): CallError {
  return new CallError("unavailable", `Cannot use the configuration ${quote(path, 4096)}: ${why}`, {
    config: path,
  });
}

/** The text of a file, without a mark of its encoding. Throws `unavailable`. */
export function readConfigText(path: string): string {
  try {
    const { size, isFile } = Deno.statSync(path);
    if (!isFile) throw new Error("it is not a file");
    // Files of the kernel have the size 0, and reading some of them never ends.
    if (size === 0) throw new Error("it is empty");
    if (size > MAX_CONFIG_BYTES) throw new Error("it is larger than 1 MiB");
    return readRegularText(path, MAX_CONFIG_BYTES).replace(/^\ufeff/, "");
  } catch (error) {
    const isMissing = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    throw unusable(path, isMissing ? "no such file" : (error as Error).message);
  }
}

/** Returns the result of `parsing`. Throws `unavailable` for a string that is nested too deeply. */
function parseShallow<T>(path: string, parsing: () => T): T {
  try {
    return parsing();
  } catch {
    // Each level of it takes one of the stack.
    throw unusable(path, "it is nested too deeply");
  }
}
