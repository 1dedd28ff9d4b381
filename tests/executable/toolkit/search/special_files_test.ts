// deno-lint-ignore-file no-console
/** Pipes and devices in place of ignore files: ripgrep would wait for them or read them forever. */
import { expect } from "@std/expect";
import { dirname, join } from "node:path";
import { call, temporaryDirectory } from "../../../support/executable.ts";

const isLinux = Deno.build.os === "linux";
if (!isLinux) console.log("skipped: only Linux shows what a process waits for");

/** The paths of ignore files below the directory `outer`. A call searches `outer/root`. */
const PATHS = [
  ...["root/.gitignore", "root/.ignore", "root/.rgignore", "root/sub/deep/.gitignore"],
  ...[".gitignore", ".rgignore", ".git/info/exclude", "root/.git/info/exclude"],
  ...["root/.git", "gitdir/commondir"],
];

/** The kinds of files in place of an ignore file. */
const KINDS: Readonly<Record<string, (path: string) => Promise<Disposable | undefined>>> = {
  async "a named pipe that nobody writes to"(path) {
    await makePipe(path);
    return undefined;
  },
  async "a named pipe that another program keeps open"(path) {
    await makePipe(path);
    return Deno.openSync(path, { read: true, write: true });
  },
  async "a symlink to an endless device"(path) {
    await Deno.symlink("/dev/zero", path);
    return undefined;
  },
};

async function makePipe(path: string): Promise<void> {
  const { success } = await new Deno.Command("mkfifo", { args: [path] }).output();
  expect(success).toBe(true);
}

/** The calls, each with its expected output. */
const CALLS: [object, string][] = [
  [{ pattern: "hit" }, "sub/deep/a.txt"],
  [{ pattern: "hit", output_mode: "content" }, "sub/deep/a.txt:1:hit"],
];

const NOTE = "[Ignore files were not applied: one of them is a named pipe or a device]";

for (const [kind, make] of Object.entries(KINDS)) {
  Deno.test({
    name: `grep > a search under --allow-all succeeds with ${kind} as an ignore file`,
    ignore: !isLinux,
    fn: async (t) => {
      for (const path of PATHS) {
        using directory = temporaryDirectory();
        const outer = directory.path;
        const root = join(outer, "root");
        await Deno.mkdir(join(root, "sub/deep"), { recursive: true });
        await Deno.writeTextFile(join(root, "sub/deep/a.txt"), "hit\n");
        if (path === "gitdir/commondir") {
          await Deno.writeTextFile(join(root, ".git"), "gitdir: ../gitdir\n");
        }
        await Deno.mkdir(dirname(join(outer, path)), { recursive: true });
        using _open = await make(join(outer, path));
        for (const [args, named] of CALLS) {
          await t.step(`${path} ${JSON.stringify(args)}`, async () => {
            const { text, isError } = await call("Grep", args as Record<string, unknown>, {
              flags: ["--allow-all"],
              cwd: root,
            });
            // ripgrep looks at this one without reading it.
            const note = path === "root/.git" ? "" : `\n\n${NOTE}`;
            expect({ text, isError }).toEqual({ text: `${named}${note}`, isError: false });
          });
        }
      }
    },
  });
}
