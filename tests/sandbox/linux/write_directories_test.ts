/**
 * The directories that a call writes in, on a disk that is not as it was when the flags were asked.
 */
import { expect } from "@std/expect";
import { openKernel } from "../../../src/runner/sandbox/linux/kernel.ts";
import { openDirectoriesToWrite } from "../../../src/runner/sandbox/linux/write_directories.ts";
import { temporaryDirectory } from "../../support/executable.ts";

/** The real paths that are opened for one file, or the message of the error. */
function opened(path: string, directoriesIn?: string): string[] | string {
  const kernel = openKernel()!;
  try {
    const files = [{ path, ...(directoriesIn !== undefined && { directoriesIn }) }];
    return [...openDirectoriesToWrite(kernel, files).values()].map((descriptor) => {
      const real = Deno.readLinkSync(`/proc/self/fd/${descriptor}`);
      kernel.call("close", descriptor);
      return real;
    });
  } catch (error) {
    return (error as Error).message;
  } finally {
    kernel.close();
  }
}

Deno.test({
  name: "write directories > the directory of the file is opened, unless a symlink leads to it",
  ignore: Deno.build.os !== "linux",
  fn: async (t) => {
    using directory = temporaryDirectory();
    const G = directory.path;
    for (const name of ["there", "closed/below"]) {
      Deno.mkdirSync(`${G}/${name}`, { recursive: true });
    }
    Deno.writeTextFileSync(`${G}/file`, "");
    Deno.symlinkSync("closed", `${G}/link`);
    Deno.symlinkSync("nowhere", `${G}/dangling`);
    const changed = "its directory was changed while the call ran";
    const rows: [path: string, directoriesIn: string | undefined, expected: string[] | string][] = [
      ["there/x", undefined, ["there"]],
      ["there/x", "/", ["there"]],
      ["there", "/", []],
      ["new/deep/x", undefined, []],
      ["new/deep/x", `${G}/other`, []],
      ["new/deep/x", `${G}/new`, ["new/deep"]],
      ["file/x", "/", []],
      ["file/new/x", "/", []],
      ["link/x", undefined, changed],
      ["link/x", "/", changed],
      ["link/below/x", undefined, changed],
      ["link/new/x", "/", changed],
      ["dangling/x", "/", changed],
      ["dangling/new/x", "/", changed],
    ];
    for (const [path, directoriesIn, expected] of rows) {
      await t.step(`${path} ${directoriesIn === undefined ? "" : "made"}`, () => {
        const found = opened(`${G}/${path}`, directoriesIn);
        if (typeof expected === "string") {
          expect(found).toBe(`Cannot write "${G}/${path}": ${expected}`);
        } else expect(found).toEqual(expected.map((name) => `${G}/${name}`));
      });
    }
    expect(Deno.statSync(`${G}/new/deep`).mode! & 0o777).toBe(0o777 & ~Deno.umask());
    const names = (path: string) => [...Deno.readDirSync(path)].map(({ name }) => name).sort();
    expect(names(G)).toEqual(["closed", "dangling", "file", "link", "new", "there"]);
    expect(names(`${G}/closed`)).toEqual(["below"]);
  },
});
