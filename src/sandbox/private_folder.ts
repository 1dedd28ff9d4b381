import { CallError } from "../call_error.ts";
import { quote } from "../quote.ts";
import type { OutputFile } from "../registry/tool_context.ts";
import { createPrivateFile } from "./spawn.ts";

/** A folder of one call's own, which no other user can enter. */
export interface PrivateFolder {
  /** Its real path. */
  path: string;
  /** Where programs put temporary files; also a home for those that may not read the caller's. */
  temporary: string;
  /** The file that takes a program's whole output; open for writing, and out of programs' reach. */
  output: OutputFile;
}

/**
 * Makes one, under a name that cannot be known beforehand, where the caller keeps
 * temporary files. Throws `unavailable` when that cannot be.
 */
export function makePrivateFolder(): PrivateFolder {
  try {
    const path = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolcall-" }));
    if (path.includes("\n")) throw new Error(`its path holds a line break: ${quote(path)}`);
    const [temporary, output] = [`${path}/tmp`, `${path}/output.txt`];
    Deno.mkdirSync(temporary, { mode: 0o700 });
    return { path, temporary, output: { path: output, file: createPrivateFile(output) } };
  } catch (error) {
    throw new CallError(
      "unavailable",
      `Cannot make a private folder for the call: ${(error as Error).message}; ` +
        "let TMPDIR name a folder that you can write",
    );
  }
}
