import { UsageError } from "../../../base/errors.ts";
import { osErrorMessage } from "../../../base/os_error_message.ts";
import { quotePath } from "../../../base/text/quote.ts";
import type { AuditRecord } from "../../audit/audit_line.ts";
import { type LoggedCall, type LogProblems, readLog } from "../../audit/log_reader.ts";
import { type Command, readFormat } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { inline, layoutFor, type TextLayout } from "../print/style.ts";
import { type Cell, tableLines } from "../print/table.ts";
import { untilSignal } from "../stop_signal.ts";
import { writeAll } from "../streams.ts";
import type { Style } from "../../../base/terminal/terminal_text.ts";

/** `toolcall audit FILE`: the calls of a log, as a table or as lines of JSON. */
export const auditCommand: Command = async (line, operands, { stdout, stderr }) => {
  refuseOperands(operands, 1);
  const [path] = operands;
  if (path === undefined) {
    throw new UsageError(
      "Missing log file. Usage: toolcall audit FILE (the file given as --audit=FILE)",
    );
  }
  const formats = ["text", "json"] as const;
  const format = readFormat(line, stdout.isTerminal() ? formats : formats.toReversed());
  const isWanted = filterOf(line.options);
  const problems: LogProblems = { broken: 0 };
  const isFollowed = line.options.has("follow");
  const signal = isFollowed ? untilSignal() : undefined;
  const found: AuditRecord[] = [];
  const page = layoutFor(stdout);
  const print = async ({ record, line }: LoggedCall) => {
    if (format === "json") await writeAll(stdout, `${line}\n`);
    else if (!isFollowed) found.push(record);
    else await writeAll(stdout, `${followedLine(record, page)}\n`);
  };
  try {
    for await (const call of readLog(path, { problems, ...(signal && { signal }) })) {
      if (isWanted(call.record)) await print(call);
    }
  } catch (error) {
    const why = error instanceof Error && error.message.startsWith("it is ")
      ? error.message
      : osErrorMessage(error);
    await writeAll(stderr, `toolcall: Cannot read the log ${quotePath(path)}: ${why}\n`);
    return 1;
  }
  if (found.length > 0) await writeAll(stdout, formatTable(found, page));
  else if (format === "text" && !isFollowed) {
    await writeAll(stderr, "toolcall: No call in the log matches\n");
  }
  if (problems.broken > 0) {
    const what = problems.broken === 1 ? "1 line is" : `${problems.broken} lines are`;
    await writeAll(stderr, `toolcall: ${what} not the record of a call; ignored\n`);
  }
  return 0;
};

function filterOf(options: ReadonlyMap<string, string>): (record: AuditRecord) => boolean {
  const tool = options.get("tool");
  const isDenied = options.has("denied");
  return (record) =>
    (tool === undefined || record.tool === tool || record.asked === tool) &&
    (!isDenied || record.code === "permission_denied" || (record.refusedBy ?? null) !== null);
}

function formatTable(records: readonly AuditRecord[], page: TextLayout): string {
  const headers = ["TIME", "TOOL", "OUTCOME", "MS", "NEEDS"];
  const rows = [
    headers.map((text): Cell => ({ text, style: "faint" })),
    ...records.map(cellsOf),
  ];
  return tableLines(rows, page).map((each) => `${each}\n`).join("");
}

/** One line for a call. The widths of later calls are not known, so there are no columns. */
function followedLine(record: AuditRecord, page: TextLayout): string {
  return cellsOf(record).map(({ text, style }) => page.paint(text, style)).join("  ").trimEnd();
}

function cellsOf({ time, tool, asked, code, durationMs, needs, refusedBy }: AuditRecord): Cell[] {
  const outcome = code === null ? "ok" : refusedBy ? `${code} (${refusedBy})` : code;
  return [
    { text: inline(String(time)).replace("T", " ").replace(/\.\d+Z$/, "Z") },
    { text: inline(String(tool ?? asked ?? "-")), style: "strong" },
    { text: inline(String(outcome)), style: styleOf(code) },
    { text: inline(String(durationMs)) },
    { text: Array.isArray(needs) && needs.length > 0 ? needs.map(needText).join(", ") : "-" },
  ];
}

function styleOf(code: string | null): Style {
  return code === null ? "green" : code === "permission_denied" ? "red" : "yellow";
}

/** A need in words, such as `read /etc/passwd (denied)`. */
function needText(need: unknown): string {
  const { name, granted, flag: _flag, denied: _denied, ...rest } = need as Record<string, unknown>;
  const values = Object.values(rest).filter((value) => typeof value === "string");
  return inline([name, ...values, ...(granted === false ? ["(denied)"] : [])].join(" "));
}
