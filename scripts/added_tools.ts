/**
 * Adds tools to a built executable without a new build, so that it can be measured and tested with
 * them.
 */
import { join } from "node:path";

/** A tool to add: its name and its bundled module. */
export interface AddedTool {
  /** The name that calls use. */
  name: string;
  /** The bundled module of its generated entry. */
  code: string;
}

/** The start of the list of tools in the bundle. */
const LIST = /\('\[(?=\["[^"]+",\[)/;

/**
 * Unpacks a self-extracting executable into `cache`, an empty directory, and adds the tools to its
 * own: a line of its list and a module for each, as a build with them would. A start with that
 * `TOOLCALL_CACHE_DIR` then offers them.
 *
 * @throws {Error} for an executable of another format.
 */
export async function addTools(
  executable: string,
  { cache, tools }: { cache: string; tools: readonly AddedTool[] },
): Promise<void> {
  await new Deno.Command(executable, {
    args: ["--version"],
    env: { TOOLCALL_CACHE_DIR: cache },
    stdout: "null",
  }).output();
  const present = [...Deno.readDirSync(cache)];
  const unpacked = present.find(({ isDirectory }) => isDirectory);
  const key = present.find(({ isFile }) => isFile);
  if (unpacked === undefined || key === undefined) {
    throw new Error(`"${executable}" is not self-extracting`);
  }
  const directory = join(cache, unpacked.name);
  const lines = tools.map(({ name, code }) => {
    const file = `added_${name.toLowerCase()}.js`;
    Deno.writeTextFileSync(join(directory, file), code);
    return `${JSON.stringify([name, [], "", "read_only", [], `./${file}`])},`;
  });
  for (const module of ["main.js", "worker.js"]) {
    const text = Deno.readTextFileSync(join(directory, module));
    if (!LIST.test(text)) throw new Error(`The list of tools is not found in ${module}`);
    Deno.writeTextFileSync(
      join(directory, module),
      text.replace(LIST, (begin) => begin + lines.join("")),
    );
  }
  // The head takes a directory that has changed since it was unpacked for broken.
  const later = new Date(Date.now() + 1_000);
  Deno.utimeSync(join(cache, key.name), later, later);
}

/** Bundles a generated entry of a tool, `tools/_generated/<file>.ts`, as the build does. */
export async function bundledTool(path: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--platform=deno", "--minify", path],
    cwd: new URL("..", import.meta.url),
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) throw new Error(`Cannot bundle ${path}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}
