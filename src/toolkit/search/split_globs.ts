/**
 * The globs of a text that may hold several, separated by commas or blanks. Braces, classes
 * and escaped characters stay whole: `*.{ts,tsx} *.md,[a,b]*` holds three.
 */
export function splitGlobs(text: string): string[] {
  const globs: string[] = [];
  let glob = "";
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const end = text[at] === "[" ? classEnd(text, at) : text[at] === "\\" ? at + 1 : at;
    const part = text.slice(at, end + 1);
    if (part === "{") depth++;
    else if (part === "}") depth--;
    if (depth <= 0 && /^[,\s]$/.test(part)) {
      globs.push(glob);
      glob = "";
    } else glob += part;
    at = end;
  }
  return [...globs, glob].filter((each) => each !== "");
}

/** The end of the class that begins at `start`; without an end it is no class. */
function classEnd(text: string, start: number): number {
  const isNegated = /[!^]/.test(text[start + 1] ?? "");
  // A bracket right behind the opening one is a character of the class.
  const end = text.indexOf("]", start + (isNegated ? 3 : 2));
  return end === -1 ? start : end;
}
