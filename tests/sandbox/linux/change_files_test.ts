/** Files are changed only in open directories, whatever their paths lead to by then. */
import { expect } from "@std/expect";
import {
  changeOnlyIn,
  linkFile,
  makeDirectories,
  removeFile,
  renameFile,
} from "../../../src/base/fs/change_files.ts";
import { OPEN, SystemFile } from "../../../src/base/fs/system_file.ts";
import { openKernel } from "../../../src/runner/sandbox/linux/kernel.ts";
import {
  closeDirectories,
  openDirectoriesToWrite,
} from "../../../src/runner/sandbox/linux/write_directories.ts";
import { temporaryDirectory } from "../../support/executable.ts";

const CREATE = OPEN.write | OPEN.create | OPEN.exclusive;

/** The system's error of an attempt, or `"done"`. */
function outcome(attempt: () => void): string {
  try {
    attempt();
    return "done";
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

const create = (path: string) => new SystemFile(path, CREATE, 0o600).close();

Deno.test({
  name: "changes of files > happen in the directories that are open, and nowhere else",
  ignore: Deno.build.os !== "linux",
  fn() {
    using here = temporaryDirectory();
    const [open, shut] = [`${here.path}/open`, `${here.path}/shut`];
    for (const path of [open, shut]) Deno.mkdirSync(path);
    for (const path of [open, shut]) Deno.writeTextFileSync(`${path}/old`, "old");
    Deno.symlinkSync(`${shut}/old`, `${open}/link`);
    const kernel = openKernel()!;
    const directories = openDirectoriesToWrite(kernel, [{ path: `${open}/new` }]);
    changeOnlyIn(directories);
    try {
      const table: [what: string, attempt: () => void, expected: string][] = [
        ["make a file", () => create(`${open}/new`), "done"],
        ["rename it", () => renameFile(`${open}/new`, `${open}/newer`), "done"],
        ["link it", () => linkFile(`${open}/newer`, `${open}/second`), "done"],
        ["remove it", () => removeFile(`${open}/newer`), "done"],
        ["make directories that are there", () => makeDirectories(open), "done"],
        ["make a file elsewhere", () => create(`${shut}/new`), "EACCES"],
        ["rename to elsewhere", () => renameFile(`${open}/second`, `${shut}/new`), "EACCES"],
        ["rename from elsewhere", () => renameFile(`${shut}/old`, `${open}/new`), "EACCES"],
        ["link from elsewhere", () => linkFile(`${shut}/old`, `${open}/new`), "EACCES"],
        ["remove elsewhere", () => removeFile(`${shut}/old`), "EACCES"],
        ["write through a symlink", () => void new SystemFile(`${open}/link`, OPEN.write), "ELOOP"],
        ["leave by two dots", () => removeFile(`${open}/../shut/old`), "EACCES"],
      ];
      expect(table.map(([what, attempt]) => [what, outcome(attempt)])).toEqual(
        table.map(([what, , expected]) => [what, expected]),
      );
      // The directory is swapped for a symlink, and keeps its descriptor.
      Deno.renameSync(open, `${here.path}/moved`);
      Deno.symlinkSync(shut, open);
      expect(outcome(() => removeFile(`${open}/old`))).toBe("done");
      expect(outcome(() => create(`${open}/later`))).toBe("done");
      const names = (path: string) => [...Deno.readDirSync(path)].map(({ name }) => name).sort();
      expect(names(shut)).toEqual(["old"]);
      expect(names(`${here.path}/moved`)).toEqual(["later", "link", "second"]);
      changeOnlyIn(new Map());
      expect(outcome(() => create(`${here.path}/moved/last`))).toBe("EACCES");
    } finally {
      changeOnlyIn(undefined);
      closeDirectories(kernel, directories);
      kernel.close();
    }
  },
});
