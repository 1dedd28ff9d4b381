// deno-lint-ignore-file no-console
/** Searches with pipes and devices in place of ignore files. */
import { expect } from "@std/expect";
import { dirname, join } from "node:path";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";
import type { Call } from "../../tools/submitted_calls.ts";

const isLinux = Deno.build.os === "linux";
if (!isLinux) console.log("skipped: only Linux shows what a process waits for");

/** The paths of ignore files below the directory `outer`. A call searches `outer/root`. */
const PATHS = [
  ...["root/.gitignore", "root/.ignore", "root/.rgignore", "root/sub/deep/.gitignore"],
  ...[".gitignore", ".rgignore", ".git/info/exclude", "root/.git/info/exclude"],
  ...["root/.git", "gitdir/commondir"],
];

/** Makes a file in place of an ignore file. The result, if any, keeps it open. */
export type Making = (path: string) => Promise<Disposable | undefined>;

/** The calls, each with its expected output. */
const CALLS: [Record<string, unknown>, string][] = [
  [{ pattern: "hit" }, "sub/deep/a.txt"],
  [{ pattern: "hit", output_mode: "content" }, "sub/deep/a.txt:1:hit"],
];

const NOTE = "[Ignore files were not applied: one of them is a named pipe or a device]";

/** Runs the calls in a directory, and returns their results. */
export type Running = (
  calls: readonly Call[],
  root: string,
) => Promise<{ text: string; isError: boolean }[]>;

/**
 * Adds the test of a kind of files. With `atOnce` all searches run at the same time, so that those
 * which wait do so together.
 */
export function testSearches(kind: string, make: Making, run: Running, atOnce: boolean): void {
  Deno.test({
    name: `grep > a search under --allow-all succeeds with ${kind} as an ignore file`,
    ignore: !isLinux,
    fn: async (t) => {
      const all = atOnce ? await Promise.all(PATHS.map((path) => search(path, make, run))) : [];
      for (const [place, path] of PATHS.entries()) {
        const found = all[place] ?? await search(path, make, run);
        for (const [at, [args, named]] of CALLS.entries()) {
          await t.step(`${path} ${JSON.stringify(args)}`, () => {
            const { text, isError } = found[at]!;
            // ripgrep looks at this one without reading it.
            const note = path === "root/.git" ? "" : `\n\n${NOTE}`;
            expect({ text, isError }).toEqual({ text: `${named}${note}`, isError: false });
          });
        }
      }
    },
  });
}

/** Makes a directory with such an ignore file, and runs the calls in it. */
async function search(path: string, make: Making, run: Running) {
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
  const calls = CALLS.map(([args]) => ({ name: "Grep", arguments: args }));
  return await run(calls, root);
}
