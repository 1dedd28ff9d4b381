import type { Reading } from "../dialect/incoming.ts";
import type { CallRunner } from "./call_runner.ts";
import type { LineFormat } from "./result_line.ts";
import type { SubmissionFigures } from "./submission_figures.ts";

/** The options of a submission. */
export interface SubmissionOptions {
  /** Executes the calls. */
  runner: CallRunner;
  /** The most calls that run at the same time. */
  jobs: number;
  /** Whether results are printed in the order of the lines. */
  isOrdered: boolean;
  /** How lines are read. */
  reading: Reading;
  /** The form of the result lines. */
  format: LineFormat;
  /** Takes the figures of each call, if they are wanted. */
  figures?: SubmissionFigures | undefined;
}
