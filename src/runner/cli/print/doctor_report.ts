import { screenSize } from "../../../base/terminal/screen.ts";
import { beside, textWidth, wrap } from "../../../base/terminal/wrap.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { inline } from "./style.ts";

/** The result of one check. */
export interface DoctorFinding {
  /** The kind of thing that was checked. */
  kind: "wall" | "capability" | "bundle" | "server" | "configuration";
  /** Its name. */
  name: string;
  /** Whether the check succeeded. */
  ok: boolean;
  /** More about it: a version or place, or the fault. */
  detail: string;
  /** The purpose of a capability. */
  what?: string;
  /** The tools that require a capability. */
  tools?: string[];
  /** The optional tools that a bundle leaves out. */
  leftOut?: string[];
  /** Whether calls work without it. Not every machine has each layer of the sandbox. */
  optional?: true;
  /** How to get it. A line that starts with `toolcall` is a command. */
  advice?: string;
}

/** Findings that belong together. */
export interface ReportSection {
  /** The heading. */
  title: string;
  /** The findings. */
  findings: readonly DoctorFinding[];
  /** The text below the findings. */
  note?: string;
}

/** The states of findings, and what is between columns. */
const [OK, MISSING, GAP] = ["ok", "MISSING", "  "];

/**
 * Formats the sections for people: each finding with its state, and below it the tools that need it
 * and how to get it. Lines are wrapped to the width of a terminal.
 */
export function doctorReport(
  sections: readonly ReportSection[],
  stdout: { isTerminal(): boolean },
): string {
  const width = stdout.isTerminal() ? screenSize().columns : Infinity;
  const named = sections.flatMap(({ findings }) => findings)
    .map(({ name }) => textWidth(inline(name)));
  const nameWidth = Math.max(...named);
  const lines = sections.filter(({ findings, note }) => findings.length > 0 || note !== undefined)
    .flatMap(({ title, findings, note }, at) => [
      ...(at === 0 ? [] : [""]),
      ...wrap(escapeControls(`${title}:`), width),
      ...findings.flatMap((each) => findingLines(each, { nameWidth, width })),
      ...(note === undefined ? [] : wrap(escapeControls(note), width)),
    ]);
  return lines.map((line) => `${line}\n`).join("");
}

function findingLines(
  { name: given, ok, detail, what, tools, advice }: DoctorFinding,
  { nameWidth, width }: { nameWidth: number; width: number },
): string[] {
  const name = inline(given);
  const padding = " ".repeat(nameWidth - textWidth(name));
  const start = (ok ? OK! : MISSING!).padEnd(MISSING!.length) + GAP + name + padding + GAP;
  const indent = " ".repeat(MISSING!.length + GAP!.length);
  const use = tools === undefined
    ? undefined
    : tools.length > 0
    ? `needed by ${tools.join(", ")}`
    : `not required: ${what}`;
  const below = (text: string) => beside(indent, text, { width });
  return [
    ...beside(start, escapeControls(detail), { width }),
    ...(use === undefined ? [] : below(escapeControls(use))),
    ...(ok || advice === undefined ? [] : adviceLines(escapeControls(advice), { indent, width })),
  ];
}

function adviceLines(
  advice: string,
  { indent, width }: { indent: string; width: number },
): string[] {
  return advice.split("\n").flatMap((line, at) => {
    const isCommand = line.startsWith("toolcall ");
    const first = at === 0 ? "to get it: " : "";
    if (!isCommand) return beside(indent, first + line, { width });
    return [
      ...(at === 0 ? beside(indent, first.trimEnd(), { width }) : []),
      ...commandLines(line, { indent: `${indent}  `, width }),
    ];
  });
}

/** A command that can be pasted: a shell joins its lines again, and none of its words is cut. */
function commandLines(
  command: string,
  { indent, width }: { indent: string; width: number },
): string[] {
  const [before, last] = [command.slice(0, command.indexOf(" '")), / '.*$/.exec(command)?.[0]];
  if (last === undefined || indent.length + command.length <= width) return [indent + command];
  return [`${indent}${before} \\`, `${indent} ${last}`];
}
