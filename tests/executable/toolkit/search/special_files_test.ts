// deno-lint-ignore-file no-console
/** Ignore files that are none: ripgrep opens them, and would wait or read without an end. */
import { expect } from "@std/expect";
import { dirname, join } from "node:path";
import { call, temporaryDirectory } from "../../../support/executable.ts";

const isLinux = Deno.build.os === "linux";
if (!isLinux) console.log("skipped: only Linux tells what a process waits for");

/** The places below the directory `outer`, of which `outer/root` is searched. */
const PLACES = [
  ...["root/.gitignore", "root/.ignore", "root/.rgignore", "root/sub/deep/.gitignore"],
  ...[".gitignore", ".rgignore", ".git/info/exclude", "root/.git/info/exclude"],
  ...["root/.git", "gitdir/commondir"],
];

/** The things that stand in the place of an ignore file. */
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

/** The calls, each with a file that it must name. */
const CALLS: [object, string][] = [
  [{ pattern: "hit" }, "sub/deep/a.txt"],
  [{ pattern: "hit", output_mode: "content" }, "sub/deep/a.txt:1:hit"],
];

const NOTE = "[Ignore files were not applied: one of them is a named pipe or a device]";

for (const [kind, make] of Object.entries(KINDS)) {
  Deno.test({
    name: `grep > under --allow-all answers in spite of ${kind} in place of an ignore file`,
    ignore: !isLinux,
    fn: async (t) => {
      for (const place of PLACES) {
        using directory = temporaryDirectory();
        const outer = directory.path;
        const root = join(outer, "root");
        await Deno.mkdir(join(root, "sub/deep"), { recursive: true });
        await Deno.writeTextFile(join(root, "sub/deep/a.txt"), "hit\n");
        if (place === "gitdir/commondir") {
          await Deno.writeTextFile(join(root, ".git"), "gitdir: ../gitdir\n");
        }
        await Deno.mkdir(dirname(join(outer, place)), { recursive: true });
        using _open = await make(join(outer, place));
        for (const [args, named] of CALLS) {
          await t.step(`${place} ${JSON.stringify(args)}`, async () => {
            const { text, isError } = await call("Grep", args as Record<string, unknown>, {
              flags: ["--allow-all"],
              cwd: root,
            });
            // ripgrep looks at this one without reading it.
            const note = place === "root/.git" ? "" : `\n\n${NOTE}`;
            expect({ text, isError }).toEqual({ text: `${named}${note}`, isError: false });
          });
        }
      }
    },
  });
}
