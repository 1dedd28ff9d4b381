import { dirname } from "@std/path/posix/dirname";
import { parse, type ParseError, printParseErrorCode } from "jsonc-parser";
import { CallError } from "../call_error.ts";
import { isObject } from "../is_object.ts";
import { quote } from "../quote.ts";

/** The longest file that is read, in bytes. */
const LONGEST = 2 ** 20;

/** One file of the configuration: a JSON object with comments. */
export interface ConfigFile {
  /** The file. */
  path: string;
  /** The folder that its relative paths start from. */
  folder: string;
  /** Its text. */
  text: string;
  /** What it holds. */
  value: Record<string, unknown>;
}

/** Reads a file of the configuration. Throws `unavailable`, which says where it is wrong. */
export function readConfigFile(path: string): ConfigFile {
  const text = read(path);
  const errors: ParseError[] = [];
  const value = parsed(path, text, errors);
  const [first] = errors;
  if (first !== undefined) {
    const before = text.slice(0, first.offset).split("\n");
    const words = printParseErrorCode(first.error).replace(/(?!^)([A-Z])/g, " $1").toLowerCase();
    throw unusable(path, `line ${before.length}, column ${before.at(-1)!.length + 1}: ${words}`);
  }
  if (!isObject(value)) throw unusable(path, "it has to hold one JSON object");
  return { path, folder: dirname(path), text, value };
}

/** What is thrown for a configuration that cannot be used. */
export function unusable(path: string, why: string): CallError {
  return new CallError("unavailable", `Cannot use the configuration ${quote(path, 4096)}: ${why}`, {
    config: path,
  });
}

function read(path: string): string {
  try {
    const { size, isFile } = Deno.statSync(path);
    if (!isFile) throw new Error("it is no file");
    // What the kernel makes as it is read has no size, and some of it is waited for without end.
    if (size === 0) throw new Error("it is empty");
    if (size > LONGEST) throw new Error("it is longer than 1 MiB");
    return Deno.readTextFileSync(path);
  } catch (error) {
    const isMissing = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    throw unusable(path, isMissing ? "there is no such file" : (error as Error).message);
  }
}

function parsed(path: string, text: string, errors: ParseError[]): unknown {
  try {
    return parse(text, errors, { allowTrailingComma: true });
  } catch {
    // Each level of it takes one of the stack.
    throw unusable(path, "it is nested too deeply");
  }
}
