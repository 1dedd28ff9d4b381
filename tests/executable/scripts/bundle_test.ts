/** The modules of the built program, and the files that they become. */
// tier: machine
import { expect } from "@std/expect";
import { writeBundle } from "../../../scripts/bundle.ts";
import { entryModules, lateImports } from "../../support/module_graph.ts";
import { temporaryDirectory } from "../../support/temporary_directory.ts";

Deno.test("writeBundle > a module gets its own file if a thread starts it, an import() names it or many modules share it", async () => {
  using directory = temporaryDirectory();
  const bundled = await writeBundle(directory.path);
  // A tool's metadata and its code are one file.
  const late = (await lateImports()).filter(({ from }) =>
    !/^tools\/_generated\/(?!index)/.test(from)
  );
  // The check of the configuration is shared by many modules.
  const shared = "src/runner/config/_generated/toolcall.validate.js";
  const expected = new Set([...entryModules(), ...late.map(({ to }) => to), shared]);
  const modules = bundled.filter((path) => !path.startsWith("src/bytes/"));
  expect(modules).toEqual([...expected].sort());
  expect(bundled.length - modules.length).toBeGreaterThan(10);
  const written = [...Deno.readDirSync(directory.path)].map(({ name }) => name);
  const others = ["declarations.js", "rregex.wasm"];
  expect(written.length).toBe(bundled.length + others.length);
  expect(others.filter((name) => !written.includes(name))).toEqual([]);
  // The minifier would drop a `using` whose variable is used once: the first of these two.
  const source = Deno.readTextFileSync("src/base/fs/atomic_write.ts");
  const kept = Deno.readTextFileSync(`${directory.path}/base_fs_atomic_write.js`);
  const count = (text: string) => text.match(/\busing \w+ ?=/g)?.length;
  expect(count(kept)).toBe(count(source));
  // A call over NATS loads no module of Node at its start.
  for (const name of ["runner_cli_remote_calls.js", "runner_cli_commands_worker.js"]) {
    const text = Deno.readTextFileSync(`${directory.path}/${name}`);
    expect({ name, node: text.match(/\bfrom ?"node:\w+"/g) }).toEqual({ name, node: null });
  }
});
