/** The figures of `toolcall submit`: the page of `--report`, and the table at a terminal. */

import { atomicWrite } from "../../base/fs/atomic_write.ts";
import { pathRules } from "../../base/fs/path_rules.ts";
import { UsageError } from "../../base/errors.ts";
import { osErrorMessage } from "../../base/os_error_message.ts";
import { thousands } from "../../base/text/amounts.ts";
import { quote } from "../../base/text/quote.ts";
import { milliseconds, type ReportOptions, reportPage } from "../submit/report_page.ts";
import type { SubmissionFigures } from "../submit/submission_figures.ts";
import { isThere } from "../sandbox/policy/paths.ts";
import { workingDirectory } from "../config/config_files.ts";
import { layoutFor } from "./print/style.ts";
import { tableLines } from "./print/table.ts";

/** The most tools in the table at a terminal. */
const MAX_SHOWN = 20;

/**
 * Returns the absolute path of a report, and makes sure that it can be written. Throws
 * {@link UsageError}, so that no call runs for a report that would be lost.
 */
export function reportFile(given: string): string {
  const path = pathRules.resolve(workingDirectory(), given);
  try {
    // Neither truncates a file nor leaves a new one, because the calls may still fail to start.
    const isNew = !isThere(path);
    Deno.openSync(path, { write: true, createNew: isNew }).close();
    if (isNew) Deno.removeSync(path);
    return path;
  } catch (error) {
    throw new UsageError(`Cannot write the report ${quote(given)}: ${osErrorMessage(error)}`);
  }
}

/** Writes the report. Throws a readable error. */
export function writeReport(
  path: string,
  figures: SubmissionFigures,
  options: ReportOptions,
): void {
  const bytes = new TextEncoder().encode(reportPage(figures, options));
  atomicWrite({ path, given: path, action: "write" }, { bytes });
}

/** The figures by tool as a table for the terminal `screen`. */
export function figuresTable(
  figures: SubmissionFigures,
  screen: { isTerminal(): boolean },
): string {
  const tools = [...figures.tools].sort(([, one], [, two]) => two.done - one.done);
  const rows = tools.slice(0, MAX_SHOWN).map(([name, { done, failed, durations }]) => [
    name,
    thousands(done),
    thousands(failed),
    `${milliseconds(durations.percentile(0.5))} ms`,
    `${milliseconds(durations.percentile(0.99))} ms`,
  ]);
  const cells = [["Tool", "Calls", "Failed", "p50", "p99"], ...rows]
    .map((row) => row.map((text) => ({ text })));
  const rest = tools.length - MAX_SHOWN;
  const more = rest > 0 ? [`and ${thousands(rest)} more tools`] : [];
  return [...tableLines(cells, layoutFor(screen)), ...more].map((each) => `${each}\n`).join("");
}
