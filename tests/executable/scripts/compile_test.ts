/** The extraction of the programs in an executable of `deno compile`. */
import { join } from "node:path";
import { expect } from "@std/expect";
import { executable } from "../../support/executable.ts";
import { run } from "../../support/stand_in.ts";
import { temporaryDirectory } from "../../support/temporary_directory.ts";

const ignore = Deno.build.os === "windows";

/** Tells the program that it runs from an executable of `deno compile`. */
const COMPILED = `Object.defineProperty(Deno, "build", {
  value: { ...Deno.build, standalone: true },
});
`;

/** The options of `deno run`, which are fixed in an executable of `deno compile`. */
const OPTIONS = [
  ...["run", "--allow-all", "--no-prompt", "--no-config", "--no-lock", "--no-remote", "--no-npm"],
  "--unstable-worker-options",
];

/** The files of the built executable. */
const unpacked = temporaryDirectory();
Deno.test.afterAll(() => unpacked[Symbol.dispose]());
const unpacking = { PATH: "/usr/bin:/bin", HOME: unpacked.path, TOOLCALL_CACHE_DIR: unpacked.path };
if (!ignore) await run([executable, "--version"], { env: unpacking });
const files = [...Deno.readDirSync(unpacked.path)].find(({ isDirectory }) => isDirectory)?.name;
const main = join(unpacked.path, files ?? "", "main.js");

/**
 * The files of the built executable, which the runtime runs as those of a compiled one. `home` is
 * the directory of the user, and `tree` has a file to search.
 */
function setUp() {
  const directory = temporaryDirectory();
  const [home, tree] = ["home", "tree"].map((name) => join(directory.path, name));
  for (const path of [home!, tree!]) Deno.mkdirSync(path, { mode: 0o700 });
  Deno.writeTextFileSync(join(tree!, "a.txt"), "needle\n");
  const env = { PATH: "/usr/bin:/bin", HOME: home! };
  const preloaded = join(directory.path, "compiled.js");
  Deno.writeTextFileSync(preloaded, COMPILED);
  const cache = join(home!, ".cache", "toolcall");
  return {
    [Symbol.dispose]: () => directory[Symbol.dispose](),
    ...{ directory: directory.path, home: home!, tree: tree!, cache },
    async call(args: string[], more: Record<string, string> = {}) {
      const command = [Deno.execPath(), ...OPTIONS, `--preload=${preloaded}`, main, ...args];
      const state = { DENO_DIR: join(directory.path, "deno"), DENO_NO_UPDATE_CHECK: "1" };
      const { code, text } = await run(command, { cwd: tree!, env: { ...env, ...state, ...more } });
      return { code, text: String(JSON.parse(text).content[0].text) };
    },
  };
}

const GREP = ["Grep", '{"pattern":"needle"}'];

Deno.test({
  name: "compiled > a search extracts ripgrep once, for this user only, and runs it in its sandbox",
  ignore,
  async fn() {
    using at = setUp();
    const found = { code: 0, text: join(at.tree, "a.txt") };
    const starts = [["-A"], [`-R=${at.tree}`], [`-R=${at.tree}`]];
    for (const ended of await Promise.all(starts.map((flags) => at.call([...flags, ...GREP])))) {
      expect(ended).toEqual({ ...found, text: "a.txt" });
    }
    const [{ name, isFile } = { name: "", isFile: false }, ...others] = Deno.readDirSync(at.cache);
    expect({ isFile, others }).toEqual({ isFile: true, others: [] });
    const path = join(at.cache, name);
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", Deno.readFileSync(path)));
    expect(name).toBe(`rg.${hash.toHex()}`);
    const first = Deno.statSync(path);
    expect((first.mode ?? 0) & 0o777).toBe(0o700);
    const glob = await at.call([`-R=${at.tree}`, "Glob", '{"pattern":"*.txt"}']);
    expect(glob).toEqual(found);
    expect(Deno.statSync(path).ino).toBe(first.ino);
  },
});

Deno.test({
  name:
    "compiled > an incomplete copy of ripgrep is replaced, and so is one that other users can write",
  ignore,
  async fn() {
    using at = setUp();
    expect((await at.call(["-A", ...GREP])).code).toBe(0);
    const path = join(at.cache, [...Deno.readDirSync(at.cache)][0]!.name);
    const { size } = Deno.statSync(path);
    Deno.truncateSync(path, 100);
    expect((await at.call([`-R=${at.tree}`, ...GREP])).code).toBe(0);
    expect(Deno.statSync(path).size).toBe(size);
    Deno.chmodSync(path, 0o722);
    expect((await at.call([`-R=${at.tree}`, ...GREP])).code).toBe(0);
    expect((Deno.statSync(path).mode ?? 0) & 0o777).toBe(0o700);
  },
});

Deno.test({
  name: "compiled > a cache that other users can write is refused, and so is a symlink",
  ignore,
  async fn() {
    using at = setUp();
    const shared = join(at.directory, "shared");
    Deno.mkdirSync(shared);
    Deno.chmodSync(shared, 0o777);
    const link = join(at.directory, "link");
    Deno.symlinkSync(at.home, link);
    const cases = { [shared]: "other users can write", [link]: "symbolic link" };
    for (const [TOOLCALL_CACHE_DIR, why] of Object.entries(cases)) {
      const { code, text } = await at.call([`-R=${at.tree}`, ...GREP], { TOOLCALL_CACHE_DIR });
      expect(code).toBe(8);
      expect(text).toContain(why);
    }
    expect([...Deno.readDirSync(shared)]).toEqual([]);
  },
});

Deno.test({
  name:
    "compiled > a call cannot write to the cache in an allowed directory, whether it exists or not",
  ignore,
  async fn() {
    using at = setUp();
    const write = async (name: string) => {
      const call = { file_path: join(at.cache, name), content: "planted" };
      return await at.call([`-W=${at.home}`, `-R=${at.home}`, "Write", JSON.stringify(call)]);
    };
    expect((await write("planted")).code).toBe(6);
    expect((await at.call(["-A", ...GREP])).code).toBe(0);
    const [{ name } = { name: "" }] = Deno.readDirSync(at.cache);
    expect((await write(name)).code).toBe(6);
    expect((await write("planted")).code).toBe(6);
    expect([...Deno.readDirSync(at.cache)].length).toBe(1);
  },
});
