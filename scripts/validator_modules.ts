/** Validators as modules that import nothing. */
import { fileURLToPath } from "node:url";

/**
 * Bundles each module of `sources`, which ajv has written for a schema, with the parts of ajv that it
 * calls. Keys are the names of files without their extension.
 *
 * @throws {Error} when the bundler fails, with what it printed.
 */
export async function validatorModules(
  sources: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const directory = Deno.makeTempDirSync({ prefix: "toolcall-generate-" });
  try {
    // The bundler uses the project's configuration, so that `ajv` has its pinned version.
    const config = fileURLToPath(new URL("../deno.json", import.meta.url));
    Deno.mkdirSync(`${directory}/in`);
    const paths = [...sources].map(([name, code]) => {
      const path = `${directory}/in/${name}.js`;
      Deno.writeTextFileSync(path, code);
      return path;
    });
    const bundled = ["--platform", "deno", "--minify", "--outdir", `${directory}/out`];
    const result = await new Deno.Command(Deno.execPath(), {
      args: ["bundle", "--quiet", ...bundled, "--config", config, ...paths],
      stderr: "piped",
    }).output();
    if (!result.success) {
      throw new Error(`Cannot bundle:\n${new TextDecoder().decode(result.stderr)}`);
    }
    return new Map(
      [...sources.keys()].map((
        name,
      ) => [name, Deno.readTextFileSync(`${directory}/out/${name}.js`)]),
    );
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}
