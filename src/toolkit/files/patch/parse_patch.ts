import type { Patch } from "./patch.ts";
import { PatchSyntaxError } from "./patch_lines.ts";
import { isUnified, parseUnified } from "./parse_unified.ts";
import { isV4a, parseV4a } from "./parse_v4a.ts";

const FORMATS =
  `write "*** Begin Patch", "*** Update File: PATH", lines with " ", "-" or "+" in front, and ` +
  `"*** End Patch"; or a unified diff with "--- PATH", "+++ PATH" and "@@ -1,2 +1,2 @@"`;

/**
 * Reads a patch in the format V4A or as a unified diff. Throws {@link PatchSyntaxError}, which names
 * the line.
 */
export function parsePatch(text: string): Patch {
  const patch = isV4a(text) ? parseV4a(text) : isUnified(text) ? parseUnified(text) : undefined;
  if (patch === undefined) throw new PatchSyntaxError(`it has no known format; ${FORMATS}`);
  if (patch.files.length === 0) throw new PatchSyntaxError("it names no file");
  return patch;
}
