/** Compiles the module of a tool, with the files that it imports, to one URL. */

import { stripTypeScriptTypes } from "node:module";
import { normalize } from "@std/path/posix/normalize";
import { dirname } from "@std/path/posix/dirname";
import { parse } from "es-module-lexer";
import { quote } from "../../base/text/quote.ts";
import { FaultError } from "./fault.ts";
import { moduleUrl } from "./module_url.ts";

/** The most files of one tool. */
const MAX_FILES = 64;

/** The largest URL of a tool, in characters. Each import copies the imported file into it. */
const MAX_URL = 8 * 2 ** 20;

/** The import that gives the declaration functions. */
const OWN_NAME = "toolcall";

/** A compiled module. */
export interface CompiledModule {
  /** The URL that it is imported from. */
  url: string;
  /** The text of each file that it consists of, by its path in the directory. */
  texts: ReadonlyMap<string, string>;
}

/**
 * Compiles a file. `read` returns the text of a file of the directory, and `api` is the URL of the
 * module "toolcall". Throws a {@link FaultError} for an import of anything but "toolcall", modules of
 * Node and files of the directory. For a syntax error the URL has the text as it is, so that loading
 * it reports the place.
 */
export function compileModule(
  file: string,
  { read, api }: { read(file: string): string; api: string },
): CompiledModule {
  const texts = new Map<string, string>();
  const urls = new Map<string, string>();
  const open: string[] = [];
  const compile = (path: string): string => {
    const known = urls.get(path);
    if (known !== undefined) return known;
    open.push(path);
    const text = read(path);
    texts.set(path, text);
    if (texts.size > MAX_FILES) throw new FaultError({ file, message: TOO_MANY });
    const code = javaScriptOf(text);
    const url = code === undefined
      ? moduleUrl(path, text, "application/typescript")
      : moduleUrl(path, withImports(code, path));
    open.pop();
    if (url.length > MAX_URL) throw new FaultError({ file, message: TOO_LARGE });
    urls.set(path, url);
    return url;
  };
  const withImports = (code: string, path: string): string => {
    let [result, at] = ["", 0];
    for (const each of parse(code)[0]) {
      if (each.type === "import-meta") continue;
      const line = code.slice(0, each.importStart).split("\n").length;
      const fail = (message: string): never => {
        throw new FaultError({ file: path, line, message });
      };
      const { specifier } = each;
      if (specifier === undefined || specifier === null) {
        return fail("an import() must name its module by a plain text in quotes");
      }
      if (specifier.startsWith("node:")) continue;
      result += code.slice(at, each.start);
      const target = specifier === OWN_NAME ? api : compileImport(specifier, path, fail);
      // An import() has the quotes in its range.
      result += each.type === "dynamic" ? JSON.stringify(target) : target;
      at = each.end;
    }
    return result + code.slice(at);
  };
  const compileImport = (
    specifier: string,
    from: string,
    fail: (message: string) => never,
  ): string => {
    const path = importedPath(specifier, from);
    if (path === undefined) {
      return fail(
        `cannot import ${quote(specifier)}: a tool can import "toolcall", modules such as ` +
          `"node:path", and .ts or .js files of its own directory`,
      );
    }
    if (open.includes(path)) {
      return fail(`cannot import ${quote(specifier)}: the two files import each other`);
    }
    try {
      return compile(path);
    } catch (error) {
      if (error instanceof FaultError) throw error;
      return fail(`cannot import ${quote(specifier)}: ${(error as Error).message}`);
    }
  };
  return { url: compile(file), texts };
}

const TOO_MANY = `it imports more than ${MAX_FILES} files`;
const TOO_LARGE = "it and the files that it imports are too large";

/** The path in the directory of a relative import, if it is a script of the directory. */
function importedPath(specifier: string, from: string): string | undefined {
  if (!/^\.\.?\/.*\.m?[jt]s$/.test(specifier)) return undefined;
  const path = normalize(`${dirname(from)}/${specifier}`);
  return path.startsWith("../") || path.startsWith("/") ? undefined : path;
}

/**
 * The JavaScript of a TypeScript text. Types become spaces, so that each line keeps its number. Only
 * a module with code that TypeScript generates, such as an enum, or with unmarked imports of types, is
 * written anew. Returns `undefined` for a syntax error.
 */
function javaScriptOf(text: string): string | undefined {
  let written: string;
  try {
    written = stripTypeScriptTypes(text, { mode: "transform" });
  } catch {
    return undefined;
  }
  try {
    const stripped = stripTypeScriptTypes(text, { mode: "strip" });
    return importsOf(stripped) === importsOf(written) ? stripped : written;
  } catch {
    return written;
  }
}

/** The imports of a source, without their layout. */
function importsOf(code: string): string {
  return parse(code)[0].map(({ type, importStart, importEnd }) =>
    type === "static"
      ? code.slice(importStart, importEnd).replaceAll(/\s+/g, "").replaceAll(/,+(?=\})|;$/g, "")
      : ""
  ).join(";");
}
