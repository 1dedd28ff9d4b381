import { fileURLToPath } from "node:url";
import { addTools, bundledTool } from "../../scripts/added_tools.ts";
import { executable, temporaryDirectory } from "./executable.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Whether tools can be added to the executable. Only a self-extracting executable supports this. */
export const takesTools = (() => {
  using file = Deno.openSync(executable);
  const bytes = new Uint8Array(65_536);
  file.readSync(bytes);
  // The script that unpacks a self-extracting executable has this variable.
  return new TextDecoder("latin1").decode(bytes).includes("tc_offset=");
})();

/** Writes a registry of the tools in `directory`, and adds the tools in `names` to the executable. */
export async function withTools(
  directory: string,
  names: readonly string[],
): Promise<{ env: Record<string, string> } & Disposable> {
  const cache = temporaryDirectory();
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "scripts/generate.ts", `--tools=${directory}`],
    cwd: root,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const tools = await Promise.all(names.map(async (name) => ({
    name,
    code: await bundledTool(`${directory}/_generated/${name}.ts`),
  })));
  await addTools(executable, { cache: cache.path, tools });
  return {
    env: { TOOLCALL_CACHE_DIR: cache.path },
    [Symbol.dispose]: () => cache[Symbol.dispose](),
  };
}
