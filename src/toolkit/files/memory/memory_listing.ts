import type { CallFile } from "../call_file.ts";
import { directoryEntries, listedPath } from "../text_editor/directory_entries.ts";

const UNITS = ["B", "K", "M", "G", "T"];

/** The directory's entries with their sizes, in the documented form. Throws a readable error. */
export function memoryListing(directory: CallFile): string {
  const base = directory.given.replace(/\/$/, "");
  const { paths, notes } = sizeOf(directory.path) === undefined
    ? { paths: [], notes: [] }
    : directoryEntries(directory, { omitted: ["node_modules"] });
  const lines = ["", ...paths].map((below) => {
    const size = sizeOf(`${directory.path}/${below}`) ?? 0;
    return `${shortSize(size)}\t${base}${below === "" ? "" : `/${listedPath(below)}`}`;
  });
  return `Here're the files and directories up to 2 levels deep in ${directory.given}, excluding ` +
    `hidden items and node_modules:\n${[...lines, ...notes].join("\n")}`;
}

/** A size as `5.5K` or `1.2M`; without a fraction if it is whole. */
export function shortSize(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${Number.isInteger(size) ? size : size.toFixed(1)}${UNITS[unit]}`;
}

function sizeOf(path: string): number | undefined {
  try {
    return Deno.lstatSync(path.replace(/\/+$/, "") || "/").size;
  } catch {
    return undefined;
  }
}
