import { beside, breakLines, textWidth, wrap } from "../../../base/terminal/wrap.ts";
import type { TextLayout } from "./style.ts";
import type { Style } from "../../../base/terminal/terminal_text.ts";

/** A cell of a table, without line ends, and its look. */
export type Cell = { text: string; style?: Style };

/** The space between two columns. */
const GAP = "  ";
/** The fewest columns of a terminal that the first and the last column of a table are read in. */
const [MIN_FIRST, MIN_LAST] = [16, 20];

/**
 * Lays out rows as columns. The first row has the headers, and all rows have the same number of
 * cells. On a terminal with 16 columns or more, lines fit into its width: the last column is
 * wrapped, and a long first cell gets its own line. If the terminal is too narrow for columns, each
 * row takes several lines and the headers are left out.
 */
export function tableLines(rows: readonly (readonly Cell[])[], page: TextLayout): string[] {
  const [headers = [], ...body] = rows;
  const longest = headers.map((_, at) =>
    rows.reduce((most, row) => Math.max(most, textWidth(row[at]!.text)), 0)
  );
  const last = longest.pop() ?? 0;
  if (page.width !== undefined) {
    const room = page.width - Math.min(last, MIN_LAST) - sum(longest.slice(1)) -
      GAP.length * longest.length;
    if (room < Math.min(longest[0]!, MIN_FIRST)) {
      return body.flatMap((row) => stackedLines(row, page.width!, page));
    }
    longest[0] = Math.min(longest[0]!, room);
  }
  return rows.flatMap((row) => rowLines(row, longest, page));
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0);
}

function rowLines(row: readonly Cell[], widths: readonly number[], page: TextLayout): string[] {
  const cells = [...row];
  const last = cells.pop()!;
  const own: string[] = [];
  if (textWidth(cells[0]!.text) > widths[0]!) {
    const { text, style } = cells[0]!;
    own.push(...breakLines(text, page.width!).map((line) => page.paint(line, style)));
    cells[0] = { text: "" };
  }
  const left = sum(widths) + GAP.length * widths.length;
  const start = cells.map(({ text, style }, at) =>
    page.paint(text, style) + " ".repeat(widths[at]! - textWidth(text)) + GAP
  ).join("");
  const texts = page.width === undefined ? [last.text] : wrap(last.text, page.width - left);
  const lines = texts.map((text, at) =>
    ((at === 0 ? start : " ".repeat(left)) + page.paint(text, last.style)).trimEnd()
  );
  return [...own, ...lines];
}

/** A row on a narrow terminal: the first cell, the short cells and the last, one below the other. */
function stackedLines(row: readonly Cell[], width: number, { paint }: TextLayout): string[] {
  const first = row[0]!;
  const last = row.at(-1)!;
  const lines = breakLines(first.text, width).map((line) => paint(line, first.style));
  let [line, used] = ["", 0];
  for (const { text, style } of row.slice(1, -1)) {
    const more = textWidth(text) + GAP.length;
    if (used + more > width && used > 0) {
      lines.push(line);
      [line, used] = ["", 0];
    }
    line += GAP + paint(text, style);
    used += more;
  }
  if (used > 0) lines.push(line);
  return [...lines, ...beside(GAP, last.text, { width }).map((each) => paint(each, last.style))];
}
