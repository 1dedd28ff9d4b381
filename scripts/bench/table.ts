/** Prints results as a table: for a terminal, and in Markdown. */
import type { Machine } from "./machine.ts";
import { type Group, GROUPS, type Result, type Row, type Target, type Unit } from "./rows.ts";

/** The title of each group, which describes the measurement of its rows. */
export const TITLES: Readonly<Record<Group, string>> = {
  cold: "Cold: one start for one call",
  search: "Search in a large tree, without the start",
  resident: "Resident: a process that stays",
  memory: "Memory",
  peers: "Peers",
  growth: "Growth",
};

const COLUMNS = ["row", "figure", "to", "ratio", "middle half", "rounds", "measured", "target"];

/** The table for a terminal. Each group has a line with its title. */
export function textTable(results: readonly Result[]): string {
  const groups = grouped(results);
  const rows = groups.map(([, found]) => found.map(cellsOf));
  const widths = COLUMNS.map((column, at) =>
    Math.max(column.length, ...rows.flat().map((cells) => cells.length > 4 ? cells[at]!.length : 0))
  );
  const line = (cells: readonly string[]) =>
    `  ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")}`.trimEnd();
  return [
    line(COLUMNS),
    ...groups.flatMap(([group], at) => ["", TITLES[group], ...rows[at]!.map(line)]),
  ].join("\n");
}

/** The table in Markdown: one for each group, below the machine of the run. */
export function markdownTable(results: readonly Result[], machine: Machine): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  const tables = grouped(results).map(([group, found]) =>
    [
      `### ${TITLES[group]}`,
      "",
      line(COLUMNS),
      line(COLUMNS.map(() => "---")),
      ...found.map((result) => {
        const [name, of, to, ...figures] = cellsOf(result);
        const cells = [...figures, ...COLUMNS.slice(3 + figures.length).map(() => "")];
        return line([`\`${name}\``, of!, to!, ...cells]);
      }),
    ].join("\n")
  );
  const about = machine.map(([name, value]) => `- ${name}: ${value}`).join("\n");
  return [about, ...tables].join("\n\n");
}

/** The results of each group that has any, in the order of the groups. */
export function grouped(results: readonly Result[]): [Group, Result[]][] {
  return GROUPS.map((group): [Group, Result[]] => [
    group,
    results.filter(({ row }) => row.group === group),
  ]).filter(([, found]) => found.length > 0);
}

/** The cells of a result. A result without figures has a reason in place of the ratio. */
function cellsOf({ row, ratio, value, unit, isMet }: Result): string[] {
  const names = [row.name, subjectOf(row), row.to];
  if ("missing" in ratio) return [...names, ratio.missing];
  return [
    ...names,
    ratioText(ratio.median),
    `${ratioText(ratio.low)} to ${ratioText(ratio.high)}`,
    String(ratio.count),
    amountText(value!, unit!),
    row.target === undefined ? "" : `${targetText(row.target)}: ${isMet ? "met" : "not met"}`,
  ];
}

/** The subject of a row, and the subject that is subtracted from it. */
export function subjectOf({ of, minus }: Row): string {
  return minus === undefined ? of : `${of}, less ${minus}`;
}

/** A ratio with more digits if it is small. */
export function ratioText(ratio: number): string {
  return ratio.toFixed(Math.abs(ratio) < 10 ? 2 : 1);
}

/** A target as a sign and a figure. */
export function targetText({ is, value, unit }: Target): string {
  return `${is === "at most" ? "≤" : "≥"} ${value}${unit === undefined ? "" : ` ${unit}`}`;
}

function amountText(value: number, unit: Unit): string {
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  return `${value.toFixed(digits)} ${unit}`;
}
