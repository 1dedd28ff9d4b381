/** The numbers in the header of a hunk of a unified diff. */
interface UnifiedHeader {
  /** The number, from 1, of the first old line. With no old lines, that of the line before. */
  oldStart: number;
  /** The number of old lines. */
  oldCount: number;
  /** The number of new lines. */
  newCount: number;
}

/** The numbers of a line such as `@@ -1,3 +1,4 @@ section`; `undefined` for another line. */
export function unifiedHeader(line: string): UnifiedHeader | undefined {
  const found = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@/.exec(line);
  if (found === null) return undefined;
  const [, start, oldCount = "1", newCount = "1"] = found;
  return { oldStart: Number(start), oldCount: Number(oldCount), newCount: Number(newCount) };
}
