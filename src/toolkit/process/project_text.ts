import { readRegularText } from "../../base/fs/regular_file.ts";

/** The text of a file of a project; `undefined` where there is none that can be read. */
export function projectText(path: string): string | undefined {
  try {
    return readRegularText(path);
  } catch {
    return undefined;
  }
}
