/** An executable with a thousand tools. */
// tier: machine
import { expect } from "@std/expect";
import { addTools, bundledTool } from "../../../../scripts/added_tools.ts";
import { takesTools } from "../../../support/added_tools.ts";
import { call, executable, temporaryDirectory } from "../../../support/executable.ts";

Deno.test({
  name: "a thousand tools > each tool can be called, and a start loads only the names of the tools",
  ignore: !takesTools,
  async fn() {
    using few = temporaryDirectory();
    using many = temporaryDirectory();
    const code = await bundledTool("tools/_generated/read.ts");
    const names = Array.from({ length: 1_000 }, (_, at) => `Generated${at}`);
    await addTools(executable, { cache: few.path, tools: [] });
    await addTools(executable, { cache: many.path, tools: names.map((name) => ({ name, code })) });
    Deno.writeTextFileSync(`${few.path}/file`, "one line\n");
    for (const name of ["Generated0", "Generated999", "Read", "FileRead"]) {
      for (const flags of [["-A"], [`--allow-read=${few.path}`]]) {
        const result = await call(name, { file_path: `${few.path}/file` }, {
          flags,
          env: { TOOLCALL_CACHE_DIR: many.path },
        });
        expect([name, flags, result.isError, result.text]).toEqual([
          name,
          flags,
          false,
          "     1\tone line\n",
        ]);
      }
    }
    for (const module of ["main.js", "worker.js"]) {
      const [small, large] = [few, many].map(({ path }) => textOf(path, module));
      // The large module has more names, and no function or other code of a tool.
      const functions = (text: string) => text.match(/=>|function/g)!.length;
      expect([module, functions(large!)]).toEqual([module, functions(small!)]);
      expect((large!.length - small!.length) / 1_000).toBeLessThan(64);
      expect(large!.match(/Generated999\b/g)).toHaveLength(1);
    }
  },
});

function textOf(cache: string, module: string): string {
  const { name } = [...Deno.readDirSync(cache)].find(({ isDirectory }) => isDirectory)!;
  return Deno.readTextFileSync(`${cache}/${name}/${module}`);
}
