import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { entries } from "../tools/_generated/index.ts";
import { pageFiles } from "../src/runner/ui/page_files.ts";
import { filesBelow } from "./files_below.ts";
import { DECLARATIONS, packedIndexModule, toolFile } from "./tool_index.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The bundler reads these files and directories. */
const INPUTS = [
  ...["deno.json", "deno.lock", "links", "main.ts", "src", "toolcall.schema.json", "tools"],
  "worker.ts",
];

/** The main modules of the threads of a call. */
const ENTRIES = ["main.ts", "worker.ts"];

/** The directory of the modules that `deno task generate` writes for the tools. */
const GENERATED = "tools/_generated";

/** The module with the files of the page in the browser. */
const PAGE_FILES = "src/runner/ui/page_files.ts";

/** Names a module that is loaded late: an `import()`, or the URL that a Worker starts with. */
const LATE = /(?<=(?:import|new URL)\(\s*)"(\.[^"]+\.ts)"(?=,?\s*\)|,\s*import\.meta\.url)/g;

/** Names the check of the configuration, which many modules import. It is a file of its own. */
const SHARED = /(?<=^import \w+ from )"(\.[^"]+\/toolcall\.validate\.js)"(?=;$)/gm;

/** Names a file of a package that is loaded late as bytes. */
const LATE_BYTES = /(?<!^const \w+ = await )loadBytes\(\s*"(npm:[^"]+)",?\s*\)/gm;

/** Loads a file of a package as bytes, at once. */
const BYTES = /^const (\w+) = await loadBytes\(\s*"(npm:[^"]+)",?\s*\);$/gm;

/** The declaration of a tool in its generated module, where it is a plain object. */
const DECLARATION = /^export const metadata: ToolMetadata = \{\n.*?^\};$/ms;

/** The prefix that replaces the path of a late import while it is bundled. */
const MARK = "./@late/";

/**
 * Writes the program into an empty directory: `main.js`, `worker.js`, a file for each tool and for
 * each other module that is loaded late, and the WebAssembly module that one of them loads. Every
 * `import()` loads its module late. All other imports but one are bundled into their importers. So a
 * cold call loads two files, whatever the number of tools. The same sources give the same files.
 *
 * Returns the paths of the modules that have a file each.
 *
 * @throws {Error} when the bundler fails, with what it printed.
 */
export async function writeBundle(directory: string): Promise<string[]> {
  const sources = await copyWithMarks();
  try {
    const tools = entries.map(({ name }) => `${GENERATED}/${toolFile(name)}.ts`);
    const found = new Set<string>();
    let next = new Set([...ENTRIES, ...tools]);
    while (next.size > 0) {
      for (const path of next) found.add(path);
      next = (await bundle([...next], { sources, directory })).difference(found);
    }
    Deno.writeTextFileSync(join(directory, DECLARATIONS), await declarationsModule());
    const wasm = new URL("rregex.wasm", import.meta.resolve("rregex"));
    await Deno.writeFile(join(directory, "rregex.wasm"), await Deno.readFile(wasm));
    return [...found].sort();
  } finally {
    await Deno.remove(sources, { recursive: true });
  }
}

/** The module that the page's server loads: in the bundle it has the finished files of the page. */
async function pageModule(): Promise<string> {
  const files = JSON.stringify(await pageFiles());
  return `const files: Record<string, string> = JSON.parse(${JSON.stringify(files)});
export const pageFiles = () => Promise.resolve(files);`;
}

/** The module with the declarations of all tools, which a listing loads in place of all tools. */
async function declarationsModule(): Promise<string> {
  const loaded = await Promise.all(entries.map((entry) => entry.load()));
  const text = JSON.stringify(
    Object.fromEntries(loaded.map(({ metadata }) => [metadata.name, metadata])),
  );
  // One letter outside ASCII would double the memory of the whole string, and the time to read it.
  const ascii = text.replaceAll(
    /[^\0-\x7f]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `export const declarations=JSON.parse(${JSON.stringify(ascii)});`;
}

/**
 * Copies the sources into a directory, which it returns. In the copy the path of every late import
 * begins with `MARK`, because the bundler leaves out imports by a pattern for their paths. The list of
 * tools has its packed form there.
 */
async function copyWithMarks(): Promise<string> {
  const copy = await Deno.makeTempDir({ prefix: "toolcall-sources-" });
  for (const path of INPUTS.flatMap(filesBelow)) {
    if (path === PAGE_FILES) {
      Deno.mkdirSync(dirname(join(copy, path)), { recursive: true });
      Deno.writeTextFileSync(join(copy, path), await pageModule());
      continue;
    }
    const text = Deno.readTextFileSync(join(root, path));
    const modules = new Map<string, string>();
    for (const [, file] of text.matchAll(/loadBytes\(\s*"(npm:[^"]+)"/g)) {
      modules.set(file!, await writeBytesModule(copy, file!));
    }
    const fromHere = (file: string) => relative(dirname(path), modules.get(file)!);
    const markedName = (_: string, module: string) => `"${MARK}${join(dirname(path), module)}"`;
    const marked = withSecondUse(text, path)
      .replace(LATE, markedName)
      .replace(SHARED, markedName)
      .replace(
        LATE_BYTES,
        (_, file) => `import("${MARK}${modules.get(file)}").then((module) => module.default)`,
      )
      .replace(BYTES, (_, name, file) => `import ${name} from "${fromHere(file)}";`);
    if (/\bimport\(\s*"[^"]*",\s*\{/.test(marked)) {
      throw new Error(`A late import of ${path} with attributes is not understood`);
    }
    Deno.mkdirSync(dirname(join(copy, path)), { recursive: true });
    Deno.writeTextFileSync(
      join(copy, path),
      path.startsWith(GENERATED) ? withOneDeclaration(text, basename(path)) : marked,
    );
  }
  const rows = entries.map((entry) => ({ ...entry, file: toolFile(entry.name) }));
  Deno.writeTextFileSync(join(copy, GENERATED, "index.ts"), packedIndexModule(rows, "../../"));
  return copy;
}

/** A `using` declaration, as the formatter writes it: it ends with its own indentation. */
const USING = /^( *)(?:await )?using (\w+) = (?:.*|.*\n(?:\1 +.*\n)*?\1(?: {2})?\S.*);$/gm;

/**
 * Adds a second use of each variable of `using`. The minifier replaces a variable that is used once
 * by its value, and drops the declaration. Then nothing would dispose of the value.
 */
function withSecondUse(text: string, path: string): string {
  let count = 0;
  const changed = text.replace(USING, (declaration, indent, name) => {
    count++;
    return `${declaration}\n${indent}void ${name};`;
  });
  if (count !== (text.match(/^ *(?:await )?using \w/gm)?.length ?? 0)) {
    throw new Error(`A "using" of ${path} is not understood: put it on lines of its own`);
  }
  return changed;
}

/**
 * The generated module of a tool, without the copy of its declaration. A call needs its code too, so
 * both are one file of the bundle.
 */
function withOneDeclaration(text: string, file: string): string {
  if (!DECLARATION.test(text)) return text;
  const own = text
    .replace(
      DECLARATION,
      "export const metadata: ToolMetadata = metadataOf(tool as ToolDefinition);",
    )
    .replace(`(await import("../${file}")).default`, "tool");
  return `import tool from "../${file}";
import { metadataOf } from "../../src/runner/registry/registered_tool.ts";
${own}`;
}

/**
 * Writes a module with the bytes of a package's file into the copy, and returns its path. The
 * bundler puts the bytes of an `import()` into the importer, but a late module has its own file. The
 * bytes are compressed in it: that makes all these modules 26 MiB smaller.
 */
async function writeBytesModule(copy: string, file: string): Promise<string> {
  const path = `src/bytes/${basename(file)}.ts`;
  Deno.mkdirSync(dirname(join(copy, path)), { recursive: true });
  const { default: bytes } = await import(file, { with: { type: "bytes" } });
  const text = new Uint8Array(gzipSync(bytes, { level: 9 })).toBase64();
  const module = `const bytes = Uint8Array.fromBase64("${text}");
const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
export default new Uint8Array(await new Response(stream).arrayBuffer());
`;
  Deno.writeTextFileSync(join(copy, path), module);
  return path;
}

/** The name of a module of the project in the bundle. */
function bundledName(path: string): string {
  return path.replace(/^tools\/_generated\/|^src\//, "").replaceAll("/", "_").replace(/ts$/, "js");
}

/**
 * Bundles modules, each into a file of its own, and returns the paths of the modules that they name
 * and that have files of their own.
 */
async function bundle(
  paths: string[],
  { sources, directory }: { sources: string; directory: string },
): Promise<Set<string>> {
  const outputs = join(sources, "bundled");
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["bundle", "--quiet", "--platform=deno", "--minify", `--outdir=${outputs}`],
      // The bundler removes the common directory of all modules from the names of its files. The
      // entries are in the top directory, so that it removes nothing.
      ...[`--external=${MARK}*`, ...new Set([...paths, ...ENTRIES])],
    ],
    cwd: sources,
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) {
    throw new Error(`Cannot bundle ${paths.join(", ")}: ${new TextDecoder().decode(stderr)}`);
  }
  const late = new Set<string>();
  for (const path of paths) {
    const text = Deno.readTextFileSync(join(outputs, path.replace(/ts$/, "js")));
    Deno.writeTextFileSync(
      join(directory, bundledName(path)),
      withLateImports(text, { path, late }),
    );
  }
  return late;
}

/**
 * Returns a bundled module with the names of the files of other modules, whose paths it adds to
 * `late`. Late imports become expressions, because the runtime reads every module that an `import()`
 * names literally before the program starts.
 */
function withLateImports(
  bundled: string,
  { path, late }: { path: string; late: Set<string> },
): string {
  const nameOf = (module: string) => {
    late.add(module);
    return `"./${bundledName(module)}"`;
  };
  const text = withLateNode(bundled)
    .replace(/import\(["'`]\.\/@late\/([^"'`]+)["'`]\)/g, (_, module) => {
      return `import(String(${nameOf(module)}))`;
    })
    .replace(/new URL\(["'`]\.\/@late\/([^"'`]+)["'`],/g, (_, module) => {
      return `new URL(${nameOf(module)},`;
    })
    .replace(/from ?["']\.\/@late\/([^"']+)["']/g, (_, module) => `from${nameOf(module)}`);
  if (text.includes(MARK)) throw new Error(`A late import of ${path} is not understood`);
  return text;
}

/** The code that the bundler writes for packages that load modules of Node with `require`. */
const REQUIRE =
  /import\{createRequire as ([\w$]+)\} ?from ?"node:module";var ([\w$]+)=\1\(import\.meta\.url\);/;

/**
 * Lets packages load each module of Node when they need it. The module with `createRequire` would
 * load all of them at the start, which takes longer than a call over NATS.
 */
function withLateNode(text: string): string {
  const late = text.replace(REQUIRE, (_, _create, name) => {
    // Packages expect an error for a module that is missing.
    return `var ${name}=name=>{const found=process.getBuiltinModule(name);` +
      `if(found===undefined)throw new Error("Cannot find module "+name);return found};`;
  });
  if (late.includes("__deno_internal_createRequire")) {
    throw new Error("The bundler loads modules of Node in a way that is not understood");
  }
  return late;
}

/**
 * Copies ripgrep's program into a directory as `rg`, and writes the hash of its content beside it.
 * `source` is the program; the default is the one for this platform. Returns `undefined`, or the
 * reason why ripgrep is missing: its package for this platform is optional.
 */
export async function copyRipgrep(
  directory: string,
  source?: string,
): Promise<string | undefined> {
  try {
    const program = source ?? (await import("@vscode/ripgrep")).rgPath;
    const target = join(directory, program.endsWith(".exe") ? "rg.exe" : "rg");
    const bytes = await Deno.readFile(program);
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
    await Deno.writeTextFile(`${target}.sha256`, `${hash}\n`);
    await Deno.writeFile(target, bytes);
    await Deno.chmod(target, 0o755);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
