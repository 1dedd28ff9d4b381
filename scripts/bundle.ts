import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Writes the program into an empty folder: `main.js`, `worker.js`, a module for
 * each tool and for what a tool loads late, and the WebAssembly module that one
 * of them reads beside itself. A cold call loads two of the modules, whatever
 * the number of tools. The same sources give the same files.
 *
 * @throws {Error} when the bundler fails, with what it printed.
 */
export async function writeBundle(folder: string): Promise<void> {
  const tools = namesIn("tools/_generated").filter((name) => name !== "index.ts");
  const entries = new Map(tools.map((name) => [`./${name}`, `tools/_generated/${name}`]));
  for (const path of ["main.ts", "worker.ts"]) await bundle(path, { folder, late: entries });
  const late = lateModules();
  for (const path of new Set([...entries.values(), ...late.values()])) {
    await bundle(path, { folder, late });
  }
  const wasm = new URL("rregex.wasm", import.meta.resolve("rregex"));
  await Deno.writeFile(join(folder, "rregex.wasm"), await Deno.readFile(wasm));
}

/** The name of a module of the project in the bundle. */
function bundledName(path: string): string {
  return path.replace(/^tools\/_generated\/|^src\//, "").replaceAll("/", "_").replace(/ts$/, "js");
}

/** The TypeScript files of a folder of the project. */
function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(join(root, folder))]
    .map(({ name }) => name)
    .filter((name) => name.endsWith(".ts"))
    .sort();
}

/** What tools load late, which is a module of its own in the bundle: its path by its specifier. */
function lateModules(): Map<string, string> {
  const found = new Map<string, string>();
  for (const folder of ["tools", "src/files", "src/search"]) {
    for (const name of namesIn(folder)) {
      const text = Deno.readTextFileSync(join(root, folder, name));
      for (const [, specifier] of text.matchAll(/import\("(\.[^"]+\.ts)"\)/g)) {
        const path = join(folder, specifier!);
        if ((found.get(specifier!) ?? path) !== path) {
          throw new Error(`Two modules are ${specifier}`);
        }
        found.set(specifier!, path);
      }
    }
  }
  return found;
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
  const lazily = text.replace(/import\(["'`](\.[^"'`]+)["'`]\)/g, (_, specifier: string) => {
    const target = late.get(specifier);
    if (target === undefined) throw new Error(`${path} imports ${specifier}, which is not bundled`);
    return `import(String("./${bundledName(target)}"))`;
  });
  const fixed = lazily.match(/from ?["'`](\.[^"'`]+\.ts)["'`]/)?.[1];
  if (fixed !== undefined) throw new Error(`${fixed} is loaded late elsewhere, but not by ${path}`);
  Deno.writeTextFileSync(output, lazily);
}

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
