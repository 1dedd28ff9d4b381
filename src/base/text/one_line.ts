import { escapeControls } from "./escape_controls.ts";

/** A string on one line that is safe to show, truncated after `maxLength` characters. */
export function oneLine(text: string, maxLength: number): string {
  const flat = escapeControls(text.replace(/\s+/g, " ").trim());
  return flat.length > maxLength ? `${flat.slice(0, maxLength).trimEnd()}…` : flat;
}
