/** An executable of `deno compile`. */
// tier: machine
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { writeCompiled } from "../../../scripts/compile.ts";
import { copyRipgrep, writeBundle } from "../../../scripts/bundle.ts";
import { run } from "../../support/stand_in.ts";
import { temporaryDirectory } from "../../support/temporary_directory.ts";

const ignore = Deno.build.os === "windows";

Deno.test({
  name: "compiled > an executable of deno compile finds files",
  ignore,
  async fn() {
    using directory = temporaryDirectory();
    const bundle = join(directory.path, "bundle");
    Deno.mkdirSync(bundle);
    await writeBundle(bundle);
    const missing = await copyRipgrep(bundle);
    const output = join(directory.path, "toolcall");
    try {
      await writeCompiled({ directory: bundle, output });
    } catch (error) {
      // deno-lint-ignore no-console
      return console.log(`skipped: ${(error as Error).message}`);
    }
    expect(missing).toBeUndefined();
    const root = fileURLToPath(new URL("../../..", import.meta.url));
    const env = { PATH: "/usr/bin:/bin", HOME: directory.path };
    const ended = await run([output, `-R=${root}`, "Glob", '{"pattern":"main.ts"}'], {
      ...{ env, cwd: root },
    });
    expect(ended.text).toContain("main.ts");
    expect(ended.code).toBe(0);
  },
});
