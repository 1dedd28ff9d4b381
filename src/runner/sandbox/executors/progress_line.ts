/** The reports of a process of this program to the one that waits for its result. */

import type { Print, TakePrint } from "./prints.ts";

/** The first characters of a line of progress, and of a printed line. A result begins otherwise. */
const [PROGRESS, PRINT] = ['{"progress":', '{"print":'];

/** The receivers of reports that come before the result. */
export interface Reports {
  /** Takes a line of progress. */
  onProgress?: ((line: string) => void) | undefined;
  /** Takes what a tool prints. */
  onPrint: TakePrint;
}

/** A line of progress, as such a process prints it before its result. */
export function progressLine(line: string): string {
  return `${JSON.stringify({ progress: line })}\n`;
}

/** A line with a print of a tool, as such a process prints it before its result. */
export function printLine(print: Print): string {
  return `${JSON.stringify({ print })}\n`;
}

/** Hands on what a line reports. Returns false for any other line. */
export function takeReport(line: string, { onProgress, onPrint }: Reports): boolean {
  if (line.startsWith(PROGRESS)) onProgress?.(JSON.parse(line).progress);
  else if (line.startsWith(PRINT)) onPrint(JSON.parse(line).print);
  else return false;
  return true;
}
