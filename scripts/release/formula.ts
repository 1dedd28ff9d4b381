import { version } from "../../src/base/version.ts";
import { sha256 } from "./archive.ts";
import { packagingFile } from "./contents.ts";
import { targets } from "./targets.ts";

/**
 * The formula for Homebrew. Undefined while there is no download address, or if one of its four
 * archives is missing in `files`.
 */
export function formulaText(
  files: ReadonlyMap<string, Uint8Array>,
  { repository, downloads }: { repository: string; downloads: string },
): string | undefined {
  const values: Record<string, string> = {
    VERSION: version,
    REPOSITORY: repository,
    DOWNLOADS: downloads,
  };
  for (const { name, os } of targets) {
    const archive = files.get(`toolcall-${version}-${name}.tar.gz`);
    if (archive !== undefined) values[`SHA256_${name}`] = sha256(archive);
    else if (os !== "win32") return undefined;
  }
  return downloads === "" ? undefined : packagingFile("toolcall.rb", values);
}
