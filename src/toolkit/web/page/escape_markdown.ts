/**
 * A text as Markdown that shows it. Only what a reader would take for a mark is escaped: names
 * such as `__name__`, `--flag` and `<tag>` stay as they are.
 */
export function escapeInline(text: string): string {
  return text
    .replace(/\\(?=[!-/:-@[-`{-~])/g, "\\\\")
    .replace(/[*`]/g, "\\$&")
    .replace(/\[(?=[^\]\n]{0,500}\][([:])/g, "\\[");
}

/** A paragraph whose start Markdown would take for a heading, a list, a quote or a rule. */
export function escapeStart(paragraph: string): string {
  return paragraph
    .replace(/^(\s*)([-+>]|#{1,6}|=+|-{2,}|~{3,})(?=\s|$)/, "$1\\$2")
    .replace(/^(\s*\d+)([.)])(?=\s|$)/, "$1\\$2");
}
