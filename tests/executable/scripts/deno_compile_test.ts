/** An executable of `deno compile`. */
// tier: machine
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { run } from "../../support/stand_in.ts";
import { temporaryDirectory } from "../../support/temporary_directory.ts";

const ignore = Deno.build.os === "windows";

Deno.test({
  name: "compiled > an executable of deno compile finds files",
  ignore,
  async fn() {
    using directory = temporaryDirectory();
    const output = join(directory.path, "toolcall");
    const root = fileURLToPath(new URL("../../..", import.meta.url));
    const build = ["run", "-A", "scripts/build.ts", "--compile", `--output=${output}`];
    const built = await new Deno.Command(Deno.execPath(), { args: build, cwd: root }).output();
    const [said, why] = [built.stdout, built.stderr].map((data) => new TextDecoder().decode(data));
    if (built.code !== 0) {
      // Only the runtime may be missing.
      expect(why).toContain("DENORT_BIN");
      // deno-lint-ignore no-console
      return console.log(`skipped: ${why}`);
    }
    expect(said).toContain("compile (--compile asks for it);");
    const env = { PATH: "/usr/bin:/bin", HOME: directory.path };
    const ended = await run([output, `-R=${root}`, "Glob", '{"pattern":"main.ts"}'], {
      ...{ env, cwd: root },
    });
    expect(ended.text).toContain("main.ts");
    expect(ended.code).toBe(0);
  },
});
