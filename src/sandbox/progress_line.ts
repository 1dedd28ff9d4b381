/** How a process of this program reports progress to the one that waits for its result. */

/** How a line of progress begins. A result begins otherwise. */
const PROGRESS = '{"progress":';

/** A line of progress, as such a process prints it before its result. */
export function progressLine(line: string): string {
  return `${JSON.stringify({ progress: line })}\n`;
}

/** Hands on a line of progress. Returns false for any other line. */
export function takeProgress(line: string, onProgress: (line: string) => void): boolean {
  if (!line.startsWith(PROGRESS)) return false;
  onProgress(JSON.parse(line).progress);
  return true;
}
