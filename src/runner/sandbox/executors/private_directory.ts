/** The directory that a call has for itself, and the file of a long output. */

import { readVariable } from "../../../base/environment.ts";
import { join } from "@std/path/posix/join";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import type { OutputFile } from "../../registry/tool_context.ts";
import { realPathIfAny } from "../policy/paths.ts";

/** A directory for one call, which no other user can enter. */
export interface PrivateDirectory {
  /** Its real path. */
  path: string;
  /** The directory for temporary files, and the home of programs that may not read the caller's. */
  temporary: string;
  /** The file that takes a program's whole output; open for writing, and out of programs' reach. */
  output: OutputFile;
}

/** The real path of the directory where the caller keeps temporary files, if there is one. */
export function temporaryRootIfAny(): string | undefined {
  return realPathIfAny(readVariable("TMPDIR") || "/tmp");
}

/**
 * Chooses the path of a private directory, under an unpredictable name, where the caller keeps
 * temporary files. It is not made yet, so that its remover can start first. Throws `unavailable`.
 */
export function choosePrivateDirectory(): string {
  return orUnavailable(() => {
    const root = Deno.realPathSync(readVariable("TMPDIR") || "/tmp");
    const path = join(root, `toolcall-${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`);
    if (path.includes("\n")) throw new Error(`its path contains a line break: ${quote(path)}`);
    return path;
  });
}

/** Makes the directory, at a path where nothing exists. Throws `unavailable`. */
export function makePrivateDirectory(path: string): PrivateDirectory {
  return orUnavailable(() => {
    const [temporary, output] = [`${path}/tmp`, `${path}/output.txt`];
    Deno.mkdirSync(path, { mode: 0o700 });
    Deno.mkdirSync(temporary, { mode: 0o700 });
    return { path, temporary, output: { path: output, file: createPrivateFile(output) } };
  });
}

function orUnavailable<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new CallError(
      "unavailable",
      `Cannot make a private directory for the call: ${
        (error as Error).message
      }; set TMPDIR to a ` +
        `directory that you can write to`,
    );
  }
}

/** A new file for a program's whole output, in a new directory that no other user can enter. */
export function openOutputFile(): OutputFile {
  const directory = Deno.makeTempDirSync({ prefix: "toolcall-" });
  const path = `${directory}/output.txt`;
  const file = createPrivateFile(path);
  return {
    path,
    file,
    discard: () => {
      file.truncateSync(0);
      Deno.removeSync(directory, { recursive: true });
    },
  };
}

/** Opens a new file for writing that only the user can read. */
function createPrivateFile(path: string): Deno.FsFile {
  return Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
}
