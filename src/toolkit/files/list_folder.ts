import { errorCode } from "../../base/error_code.ts";
import { plural, thousands } from "../../base/text/amounts.ts";
import { quotePath } from "../../base/text/quote.ts";
import { cannot, type FileTarget, systemError } from "../../base/fs/system_error.ts";
import type { CallFile } from "./call_file.ts";

const MAX_NAMES = 1000;

/**
 * The names in one folder, one a line, sorted by the codes of their characters. A folder ends in
 * `/`, a symlink in `@`, and a name with control characters is quoted. Lists at most 1,000 names,
 * then the number of the rest, and the number of those that the call may not read. Throws a
 * readable error; for a missing folder it names similar ones.
 */
export async function listFolder(folder: CallFile): Promise<string> {
  const entries = readFolder(folder);
  if (!entries) {
    const { missingError } = await import("./missing_error.ts");
    throw missingError(folder);
  }
  const prefix = folder.path === "/" ? "/" : `${folder.path}/`;
  const allowed = entries.filter((entry) => folder.mayRead(prefix + entry.name));
  allowed.sort((a, b) => a.name < b.name ? -1 : 1);
  const lines = allowed.slice(0, MAX_NAMES).map(lineOf);
  if (entries.length === 0) lines.push("[The folder is empty]");
  if (allowed.length > MAX_NAMES) {
    lines.push(
      `[${thousands(allowed.length - MAX_NAMES)} more of ${plural(allowed.length, "name")}; ` +
        "Glob finds those that match a pattern]",
    );
  }
  const hidden = entries.length - allowed.length;
  if (hidden > 0) lines.push(`[${plural(hidden, "name")} not shown: may not be read]`);
  return lines.join("\n");
}

function readFolder(target: FileTarget): Deno.DirEntry[] | undefined {
  try {
    return [...Deno.readDirSync(target.path)];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (errorCode(error) !== "ENOTDIR") throw systemError(error, target);
    throw new Error(`${cannot(target)}: it is not a folder; read it with fs.read or file`, {
      cause: { systemError: "ENOTDIR" },
    });
  }
}

function lineOf(entry: Deno.DirEntry): string {
  // deno-lint-ignore no-control-regex
  const name = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/.test(entry.name)
    ? quotePath(entry.name)
    : entry.name;
  return name + (entry.isSymlink ? "@" : entry.isDirectory ? "/" : "");
}
