import { beside, textWidth, wrap } from "../../../base/terminal/wrap.ts";
import type { ToolCall } from "../../call/call.ts";
import type { Prepared } from "../../call/call.ts";
import type { Confinement } from "../../sandbox/describe_confinement.ts";
import { type Decision, valueOf } from "../../sandbox/policy/grants.ts";
import { keptFlag, type KeptPermission } from "../../state/kept_permissions.ts";
import type { CommandLine } from "../command.ts";
import { repeatCommand } from "./repeat_command.ts";
import { accessRows } from "./access_rows.ts";
import { inline, type TextLayout } from "./style.ts";

/** The widest page, in columns. Longer lines are hard to read. */
const MAX_WIDTH = 100;

/** A call that was checked. */
export interface CheckedCall {
  /** The call as it was given. */
  call: ToolCall;
  /** The call, ready to run. */
  prepared: Prepared;
  /** The programs that it probably starts, and that the flags do not grant. */
  likely: readonly Decision[];
  /** The sandbox of the call. */
  confinement: Confinement;
  /** The reason why the call would be refused, if it would. */
  refusal: string | undefined;
}

/**
 * The page about a checked call: its needs and whether the flags grant them, its sandbox, and the
 * command that works.
 */
export function checkPage(
  { call, prepared, likely, confinement, refusal }: CheckedCall,
  { line, kept, program, page }: {
    line: CommandLine;
    /** The permissions that `--prompt` kept for this directory. */
    kept: readonly KeptPermission[];
    /** The real path of the directory of the program. */
    program: string;
    page: TextLayout;
  },
): string {
  const width = Math.min(page.width ?? MAX_WIDTH, MAX_WIDTH);
  const { metadata } = prepared.tool;
  const row = (label: string, text: string) => rowLines(label, text, { width, page });
  const { decisions } = prepared;
  const titleWidth = textWidth(inline(metadata.name)) + 2;
  const [title = "", ...more] = beside(" ".repeat(titleWidth), inline(metadata.title), { width });
  const lines = [
    page.paint(inline(metadata.name), "strong") + title.slice(inline(metadata.name).length),
    ...more,
    ...(decisions.length === 0 ? row("needs", "no permission") : []),
    ...decisions.flatMap((decision, at) =>
      needLines(decision, { label: at === 0 ? "needs" : "", width, page })
    ),
    ...likely.flatMap((decision, at) =>
      needLines(decision, { label: at === 0 ? "may need" : "", width, page, mark: "?" })
    ),
    ...kept.flatMap((each, at) =>
      row(at === 0 ? "kept" : "", `${inline(keptFlag(each))}, by an earlier answer`)
    ),
    ...row("sandbox", sandboxText(confinement)),
    ...accessRows(confinement, { program }, grantsAll(line)).flatMap(([label, text]) =>
      row(label, text)
    ),
    ...verdictLines({ call, prepared, likely, refusal }, { line, page, width }),
  ];
  return lines.map((each) => `${each.trimEnd()}\n`).join("");
}

function rowLines(
  label: string,
  text: string,
  { width, page }: { width: number; page: TextLayout },
): string[] {
  const start = `  ${label.padEnd(11)}`;
  return beside(start, text, { width }).map((line, at) =>
    at === 0 && line.startsWith(start)
      ? page.paint(start, "faint") + line.slice(start.length)
      : line
  );
}

/** A need with its mark, and the flag that grants it if it is missing. */
function needLines(
  decision: Decision,
  { label, width, page, mark = decision.granted ? "✓" : "✗" }: {
    label: string;
    width: number;
    page: TextLayout;
    mark?: string;
  },
): string[] {
  const { permission, granted, denied, flag, why } = decision;
  const need = inline(`${permission.name} ${valueOf(permission)}`);
  const reason = granted
    ? ""
    : denied
    ? `  denied by ${inline(flag)}`
    : `  ${inline(flag)}${why === undefined ? "" : ` (${why})`}`;
  const lines = rowLines(label, `${mark} ${need}${reason}`, { width, page });
  return lines.map((line) => line.replace(mark, page.paint(mark, granted ? "green" : "red")));
}

/** The layers of the sandbox, in words. */
function sandboxText({ executor, runtime, kernel, missing }: Confinement): string {
  if (missing) return "none on this machine, so the call is refused";
  const layers = [
    ...(runtime === "open" ? [] : ["the permissions of the runtime"]),
    ...(typeof kernel === "string" ? [] : [
      kernel.landlock === "sandbox-exec"
        ? "the sandbox of macOS"
        : `the kernel (Landlock ${kernel.landlock}, seccomp)`,
    ]),
    ...(typeof kernel !== "string" && kernel.mounts?.available === true
      ? ["read-only mounts"]
      : []),
  ];
  const text = layers.length === 0
    ? "none: the call may do everything that you may do"
    : layers.join(", ");
  if (executor === "session_shell") return `${text} (in the shell of a session)`;
  return executor === "background_process" ? `${text} (in the background)` : text;
}

/** The kinds of access that the flags grant without naming a path. */
function grantsAll({ grants: { all, allow } }: CommandLine): { read: boolean; write: boolean } {
  return { read: all || allow.read === true, write: all || allow.write === true };
}

/** Whether the call is granted, and the command that makes it. */
function verdictLines(
  { call, prepared: { decisions }, likely, refusal }: Omit<CheckedCall, "confinement">,
  { line, page, width }: { line: CommandLine; page: TextLayout; width: number },
): string[] {
  const missing = decisions.filter(({ granted }) => !granted);
  const command = (more: readonly string[]) => repeatCommand(call, { line, more, page });
  const say = (text: string, style: "green" | "red") =>
    wrap(text, width).map((each) => page.paint(each, style));
  const also = likely.filter(({ denied }) => !denied).map(({ flag }) => flag);
  if (refusal === undefined) {
    const granted = [...say("Granted. To run it:", "green"), ...command([])];
    if (also.length === 0) return granted;
    return [...granted, ...say("To allow the programs in it too:", "green"), ...command(also)];
  }
  if (missing.length === 0) return say(`Refused. ${inline(refusal)}`, "red");
  if (missing.some(({ denied }) => denied)) {
    return say("Not granted. A flag denies it, which overrides every flag that allows.", "red");
  }
  const more = [...missing.map(({ flag }) => flag), ...also];
  return [...say("Not granted. To allow it:", "red"), ...command(more)];
}
