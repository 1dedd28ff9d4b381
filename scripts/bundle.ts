import { fileURLToPath } from "node:url";
import { join } from "node:path";

/**
 * Writes the program into an empty folder: `main.js`, `worker.js`, the chunks
 * that they share or load when needed, and the WebAssembly module that one of
 * the chunks reads beside itself. The same sources give the same files.
 *
 * @throws {Error} when the bundler fails, with what it printed.
 */
export async function writeBundle(folder: string): Promise<void> {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "bundle",
      "--quiet",
      "--platform=deno",
      "--code-splitting",
      "--minify",
      `--outdir=${folder}`,
      "main.ts",
      "worker.ts",
    ],
    cwd: root,
    env: { NO_COLOR: "1" },
  }).output();
  if (code !== 0) {
    throw new Error(`Cannot bundle the program: ${new TextDecoder().decode(stderr)}`);
  }
  await import("rregex");
  const wasm = new URL("rregex.wasm", import.meta.resolve("rregex"));
  await Deno.writeFile(join(folder, "rregex.wasm"), await Deno.readFile(wasm));
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
