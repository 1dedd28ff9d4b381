import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What names a module that is loaded late: an `import()`, or the URL that a Worker starts with. */
const LATE = /(?<=import\(|new URL\()"(\.[^"]+\.ts)"(?=\)|, import\.meta\.url\))/g;

/** Where modules are loaded late. A tool's entry and its code stay one module. */
const sources = [
  ...[
    "src/capability",
    "src/cli",
    "src/config",
    "src/dialect",
    "src/engine",
    "src/files",
    "src/mcp",
    "src/mcp_client",
    "src/model",
  ],
  ...["src/navigate", "src/sandbox", "src/search", "src/state", "src/web", "tools"],
];

/**
 * Writes the program into an empty folder: `main.js`, `worker.js`, a module for
 * each tool and for everything else that is loaded late, and the WebAssembly
 * module that one of them reads beside itself. A cold call loads two of the
 * modules, whatever the number of tools. A module that two of them import is in
 * both, so an error that goes from one to the other is known by its name, not by
 * its class. The same sources give the same files.
 *
 * @throws {Error} when the bundler fails, with what it printed.
 */
export async function writeBundle(folder: string): Promise<void> {
  const late = lateModules();
  for (const path of new Set(["main.ts", "worker.ts", ...late.values()])) {
    await bundle(path, { folder, late });
  }
  const wasm = new URL("rregex.wasm", import.meta.resolve("rregex"));
  await Deno.writeFile(join(folder, "rregex.wasm"), await Deno.readFile(wasm));
}

/**
 * What is loaded late, and so is a module of its own in the bundle: its path by
 * its specifier. What another module needs from the start is none of it.
 */
function lateModules(): Map<string, string> {
  const found = new Map<string, string>();
  const early = new Set<string>();
  for (const importer of ["tools/_generated/index.ts", ...sources.flatMap(filesIn)]) {
    const text = Deno.readTextFileSync(join(root, importer));
    for (
      const [, specifier] of text.matchAll(/^(?:import|export) (?!type )[^;]*from "(\.[^"]+)"/gm)
    ) {
      early.add(specifier!);
    }
    for (const [, specifier] of text.matchAll(LATE)) {
      const path = join(dirname(importer), specifier!);
      const other = found.get(specifier!);
      if (other !== undefined && other !== path) {
        throw new Error(`"${specifier}" is both ${path} and ${other}: spell one of them longer`);
      }
      found.set(specifier!, path);
    }
  }
  return new Map([...found].filter(([specifier]) => !early.has(specifier)));
}

/** The TypeScript files of a folder of the project. */
function filesIn(folder: string): string[] {
  return [...Deno.readDirSync(join(root, folder))]
    .filter(({ name }) => name.endsWith(".ts"))
    .map(({ name }) => join(folder, name))
    .sort();
}

/** The name of a module of the project in the bundle. */
function bundledName(path: string): string {
  return path.replace(/^tools\/_generated\/|^src\//, "").replaceAll("/", "_").replace(/ts$/, "js");
}

/**
 * Bundles one module of the project. The imports of `late` modules become plain
 * expressions: what an `import()` names literally, the runtime reads before the
 * program starts, all of it.
 */
async function bundle(
  path: string,
  { folder, late }: { folder: string; late: Map<string, string> },
): Promise<void> {
  const output = join(folder, bundledName(path));
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["bundle", "--quiet", "--platform=deno", "--minify", "--output", output],
      ...[...late.keys()].map((specifier) => `--external=${specifier}`),
      path,
    ],
    cwd: root,
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) throw new Error(`Cannot bundle ${path}: ${new TextDecoder().decode(stderr)}`);
  const text = Deno.readTextFileSync(output);
  const named = (specifier: string): string => {
    const target = late.get(specifier);
    if (target === undefined) throw new Error(`${path} loads ${specifier}, which is not bundled`);
    return `"./${bundledName(target)}"`;
  };
  const lazily = text
    .replace(/import\(["'`](\.[^"'`]+)["'`]\)/g, (_, specifier: string) => {
      return `import(String(${named(specifier)}))`;
    })
    .replace(/new URL\(["'`](\.[^"'`]+\.ts)["'`],/g, (_, specifier: string) => {
      return `new URL(${named(specifier)},`;
    });
  const holdsList = path === "main.ts" || path === "worker.ts";
  Deno.writeTextFileSync(output, holdsList ? withShortList(lazily) : lazily);
}

/** A line of the list of tools, as `tools/_generated/index.ts` has it once it is bundled. */
const LINE =
  /\{name:("[^"\\]+"),aliases:(\[[^\]]*\]),sideEffect:("\w+")(?:,requires:(\[[^\]]*\]))?,load:\(\)=>import\(String\(("[^"]+")\)\)\}/;

/**
 * Writes the list of tools as a JSON text, in which one is found by its name before any is made.
 * Of a thousand functions, one a tool, each start would have to load the code, and to make a
 * thousand objects takes it a millisecond.
 */
function withShortList(text: string): string {
  const list = text.match(new RegExp(`\\[${LINE.source}(,${LINE.source})*\\]`))?.[0];
  if (list === undefined) throw new Error("The list of tools is not found in the bundle");
  const rows = [...list.matchAll(new RegExp(LINE, "g"))].map(
    ([, name, aliases, effect, requires = "[]", path]) =>
      `[${[name, aliases, effect, requires, path].join(",")}]`,
  );
  const json = `[${rows.join(",")}]`.replace(/[\\']/g, "\\$&");
  return text.replace(list, () => `(${TOOL_LIST.replaceAll(/\n\s*/g, "")})('${json}')`);
}

/** What makes a `ToolList` of the text. A row starts with the name and ends with its module. */
const TOOL_LIST = `(text => {
  const entry = row => ({
    name: row[0], aliases: row[1], sideEffect: row[2], requires: row[3],
    load: () => import(String(row[4]))
  });
  return {
    named(name) {
      const at = text.indexOf('[' + JSON.stringify(name) + ',[');
      if (at >= 0) return entry(JSON.parse(text.slice(at, text.indexOf('.js"]', at) + 5)));
    },
    [Symbol.iterator]: () => JSON.parse(text).map(entry)[Symbol.iterator]()
  };
})`;

/**
 * Copies ripgrep's program into a folder as `rg`. Returns undefined, or why
 * there is none: its package for this platform is optional.
 */
export async function copyRipgrep(folder: string): Promise<string | undefined> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    const target = join(folder, "rg");
    await Deno.writeFile(target, await Deno.readFile(rgPath));
    await Deno.chmod(target, 0o755);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
