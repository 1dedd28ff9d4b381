import { join } from "@std/path/posix/join";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import type { OutputFile } from "../../registry/tool_context.ts";
import { realPathIfAny } from "../policy/paths.ts";
import { createPrivateFile } from "./spawn.ts";

/** A folder for one call, which no other user can enter. */
export interface PrivateFolder {
  /** Its real path. */
  path: string;
  /**
   * The directory for temporary files. It is also the home of programs that may not read the
   * caller's.
   */
  temporary: string;
  /** The file that takes a program's whole output; open for writing, and out of programs' reach. */
  output: OutputFile;
}

/** The real path of the directory where the caller keeps temporary files, if there is one. */
export function temporaryRootIfAny(): string | undefined {
  return realPathIfAny(Deno.env.get("TMPDIR") || "/tmp");
}

/**
 * Chooses the path of a private folder, under an unpredictable name, where the caller keeps
 * temporary files. The folder is not made yet, so that its remover can start first. Throws
 * `unavailable` when no directory is suitable.
 */
export function choosePrivateFolder(): string {
  return orUnavailable(() => {
    const root = Deno.realPathSync(Deno.env.get("TMPDIR") || "/tmp");
    const path = join(root, `toolcall-${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`);
    if (path.includes("\n")) throw new Error(`its path holds a line break: ${quote(path)}`);
    return path;
  });
}

/** Makes the folder, at a path where nothing exists. Throws `unavailable` when that fails. */
export function makePrivateFolder(path: string): PrivateFolder {
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
      `Cannot make a private folder for the call: ${(error as Error).message}; ` +
        "let TMPDIR name a folder that you can write",
    );
  }
}
