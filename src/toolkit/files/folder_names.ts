import { errorCode } from "../../base/error_code.ts";
import { plural, thousands } from "../../base/text/amounts.ts";
import { quotePath } from "../../base/text/quote_path.ts";
import { cannot, type FileTarget, systemError } from "../../base/fs/system_error.ts";

const MAX_NAMES = 1000;

/**
 * The names in one folder, one a line, sorted by their characters' codes: a
 * folder ends in `/`, a symbolic link in `@`, and a name with control
 * characters is quoted. At most 1,000, with the count of the rest, and a count
 * of those that `mayRead` refuses. `undefined` when there is no such folder.
 */
export function folderNames(
  target: FileTarget,
  mayRead: (path: string) => boolean,
): string | undefined {
  const entries = readFolder(target);
  if (!entries) return undefined;
  const prefix = target.path === "/" ? "/" : `${target.path}/`;
  const allowed = entries.filter((entry) => mayRead(prefix + entry.name));
  allowed.sort((a, b) => a.name < b.name ? -1 : 1);
  const lines = allowed.slice(0, MAX_NAMES).map(shown);
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

function shown(entry: Deno.DirEntry): string {
  // deno-lint-ignore no-control-regex
  const name = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/.test(entry.name)
    ? quotePath(entry.name)
    : entry.name;
  return name + (entry.isSymlink ? "@" : entry.isDirectory ? "/" : "");
}
