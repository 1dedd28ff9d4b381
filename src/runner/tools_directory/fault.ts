import { NamedError } from "../../base/errors.ts";

/** An error in a tool of a tools directory, with its place. */
export interface ToolFault {
  /** The file, relative to the directory. */
  file: string;
  /** The line, from 1, if it is known. */
  line?: number;
  /** The error, and how to correct it. */
  message: string;
}

/** An error with the fault as its text. */
export class FaultError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "FaultError";
  /** Takes the fault. */
  constructor(readonly fault: ToolFault) {
    super(fault.message);
  }
}

/** The fault of an error that was thrown for a file. */
export function faultOf(error: unknown, file: string): ToolFault {
  return error instanceof FaultError ? error.fault : { file, message: (error as Error).message };
}

/** The faults as lines of text, each with its place. */
export function faultLines(directory: string, faults: readonly ToolFault[]): string[] {
  return faults.map(({ file, line, message }) =>
    `${directory}/${file}${line === undefined ? "" : `:${line}`}: ${message}`
  );
}
