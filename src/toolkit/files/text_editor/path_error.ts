import { quotePath } from "../../../base/text/quote.ts";

/** The data of an error of the file system, as the file tools give it. */
interface FileFault {
  systemError?: string;
  near?: readonly string[];
}

/** The documented texts for a path. */
interface PathTexts {
  /** The text for a missing file. */
  missing: string;
  /** The text for a directory in place of a file. */
  directory: string;
}

/** Runs `work`. An error for a missing file and for a directory gets the documented text. */
export async function withPathTexts<T>(
  { missing, directory }: PathTexts,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const cause = (error as Error).cause as FileFault | undefined;
    const { systemError, near = [] } = cause ?? {};
    if (systemError === "EISDIR") throw new Error(directory, { cause });
    if (systemError !== "ENOENT" && systemError !== "ENOTDIR") throw error;
    const start = missing.endsWith(".") ? " Similar" : "; similar";
    const similar = near.length === 0 ? "" : `${start}: ${near.map(quotePath).join(", ")}`;
    throw new Error(missing + similar, { cause });
  }
}
