import { changeOnlyIn } from "../../base/fs/change_files.ts";
import { putBytes } from "../../base/fs/change_set.ts";
import { openKernel } from "../sandbox/linux/kernel.ts";
import { closeDirectories, openDirectoriesToWrite } from "../sandbox/linux/write_directories.ts";

/**
 * Calls `work` with a function that changes a file only at its real path: it opens the directory,
 * checks that no symlink led there, and changes the file by its name in the open directory. Systems
 * other than Linux have no such way, so the file is changed at its path there.
 */
export function withSafePut<T>(work: (put: typeof putBytes) => T): T {
  const kernel = Deno.build.os === "linux" ? openKernel() : undefined;
  if (kernel === undefined) return work(putBytes);
  try {
    return work((change, step) => {
      const file = { path: change.path, directoriesIn: "/" };
      const directories = openDirectoriesToWrite(kernel, [file]);
      changeOnlyIn(directories);
      try {
        putBytes(change, step);
      } finally {
        changeOnlyIn(undefined);
        closeDirectories(kernel, directories);
      }
    });
  } finally {
    kernel.close();
  }
}
