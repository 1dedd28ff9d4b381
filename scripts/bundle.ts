import { fileURLToPath } from "node:url";
import { join } from "node:path";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Writes the program into an empty folder: `main.js`, `worker.js`, a module for
 * each tool, and the WebAssembly module that one of them reads beside itself.
 * A cold call loads two of the modules, whatever the number of tools. The same
 * sources give the same files.
 *
 * @throws {Error} when the bundler fails, with what it printed.
 */
export async function writeBundle(folder: string): Promise<void> {
  const tools = [...Deno.readDirSync(join(root, "tools/_generated"))]
    .map(({ name }) => name)
    .filter((name) => name.endsWith(".ts") && name !== "index.ts")
    .sort();
  const external = tools.flatMap((name) => ["--external", `./${name}`]);
  await bundle("main.ts", join(folder, "main.js"), external);
  await bundle("worker.ts", join(folder, "worker.js"), external);
  for (const name of tools) {
    await bundle(`tools/_generated/${name}`, join(folder, name.replace(/ts$/, "js")));
  }
  for (const name of ["main.js", "worker.js"]) loadToolsLate(join(folder, name), tools.length);
  const wasm = new URL("rregex.wasm", import.meta.resolve("rregex"));
  await Deno.writeFile(join(folder, "rregex.wasm"), await Deno.readFile(wasm));
}

async function bundle(entry: string, output: string, options: string[] = []): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["bundle", "--quiet", "--platform=deno", "--minify", ...options],
      ...["--output", output, entry],
    ],
    cwd: root,
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) throw new Error(`Cannot bundle ${entry}: ${new TextDecoder().decode(stderr)}`);
}

/**
 * Makes the imports of the tools' modules plain expressions: what an `import()`
 * names literally, the runtime reads before the program starts, all of it.
 */
function loadToolsLate(path: string, count: number): void {
  const literal = /import\("(\.\/\w+)\.ts"\)/g;
  const text = Deno.readTextFileSync(path);
  const found = text.match(literal)?.length ?? 0;
  if (found !== count) throw new Error(`${path} imports ${found} tools of ${count}`);
  Deno.writeTextFileSync(path, text.replace(literal, 'import(String("$1.js"))'));
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
