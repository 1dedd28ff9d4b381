import { screenSize } from "../../../base/terminal/screen.ts";
import { beside, textWidth, wrap } from "../../../base/terminal/wrap.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import type { Finding } from "../../sandbox/try_sandbox.ts";
import { inline } from "./style.ts";

/** The result of one check. A line of its advice that starts with `toolcall` is a command. */
export interface DoctorFinding extends Finding {
  /** The kind of thing that was checked. */
  kind: "sandbox" | "capability" | "bundle" | "server" | "configuration" | "patch";
  /** The purpose of a capability. */
  purpose?: string;
  /** The tools that require a capability. */
  tools?: string[];
  /** The optional tools that a bundle leaves out. */
  omitted?: string[];
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

const [OK, MISSING, GAP] = ["ok     ", "MISSING", "  "] as const;
const INDENT = " ".repeat(MISSING.length + GAP.length);

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
  { name: given, ok, detail, purpose, tools, advice }: DoctorFinding,
  { nameWidth, width }: { nameWidth: number; width: number },
): string[] {
  const name = inline(given);
  const padding = " ".repeat(nameWidth - textWidth(name));
  const start = (ok ? OK : MISSING) + GAP + name + padding + GAP;
  const use = tools?.length === 0 ? `not required: ${purpose}` : `needed by ${tools?.join(", ")}`;
  return [
    ...beside(start, escapeControls(detail), { width }),
    ...(tools === undefined ? [] : beside(INDENT, escapeControls(use), { width })),
    ...(ok || advice === undefined ? [] : adviceLines(escapeControls(advice), width)),
  ];
}

function adviceLines(advice: string, width: number): string[] {
  return advice.split("\n").flatMap((line, at) => {
    const first = at === 0 ? "to get it: " : "";
    if (!line.startsWith("toolcall ")) return beside(INDENT, first + line, { width });
    return [
      ...(at === 0 ? beside(INDENT, first.trimEnd(), { width }) : []),
      ...commandLines(line, width),
    ];
  });
}

/** A command that can be pasted: a shell joins its lines again, and none of its words is cut. */
function commandLines(command: string, width: number): string[] {
  const indent = `${INDENT}  `;
  const at = command.indexOf(" '");
  if (at < 0 || indent.length + command.length <= width) return [indent + command];
  return [`${indent}${command.slice(0, at)} \\`, `${indent} ${command.slice(at)}`];
}
