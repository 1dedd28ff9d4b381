import { plural } from "../../../base/text/amounts.ts";
import { quotePath } from "../../../base/text/quote.ts";
import type { Patch } from "./patch.ts";
import type { PatchStep } from "./plan_changes.ts";

const MAX_STEPS = 100;
const MAX_NOTES = 50;

/**
 * The result of a patch: a line for each file with the letter that git gives it, and then what was
 * ignored to apply the patch.
 */
export function patchResult(
  { notes }: Patch,
  { steps, isChanged }: { steps: readonly PatchStep[]; isChanged: boolean },
): string {
  const files = new Set(steps.map(({ path }) => path)).size;
  const lines = [`Patched ${plural(files, "file")}:`, ...steps.slice(0, MAX_STEPS).map(lineOf)];
  if (steps.length > MAX_STEPS) lines.push(`[${steps.length - MAX_STEPS} more]`);
  const all = [
    ...(isChanged ? [] : ["The files had this content already"]),
    ...notes,
    ...steps.flatMap((step) => step.notes.map((note) => `${quotePath(step.path)}: ${note}`)),
  ];
  lines.push(...all.slice(0, MAX_NOTES).map((note) => `[${note}]`));
  if (all.length > MAX_NOTES) lines.push(`[${all.length - MAX_NOTES} more notes]`);
  return lines.join("\n");
}

function lineOf({ kind, path, moveTo, replaces, hunks }: PatchStep): string {
  const name = quotePath(path);
  const count = hunks > 0 ? ` (${plural(hunks, "hunk")})` : "";
  switch (kind) {
    case "add":
      return `A ${name}`;
    case "overwrite":
      return `M ${name} (overwritten)`;
    case "update":
      return `M ${name}${count}`;
    case "delete":
      return `D ${name}`;
    case "move":
      return `R ${name} -> ${quotePath(moveTo!)}${count}${replaces ? " (overwritten)" : ""}`;
  }
}
