import { beside, textWidth, wrap } from "../../../base/terminal/wrap.ts";
import type { ToolCall } from "../../call/call.ts";
import type { Prepared } from "../../call/call.ts";
import type { Confinement } from "../../sandbox/describe_confinement.ts";
import { type Decision, valueOf } from "../../sandbox/policy/grants.ts";
import { keptFlag, type KeptPermission } from "../../state/kept_permissions.ts";
import type { CommandLine } from "../command.ts";
import { repeatCommand } from "./repeat_command.ts";
import { inline, type TextLayout } from "./style.ts";

/** The widest page, in columns. Longer lines are hard to read. */
const MAX_WIDTH = 100;

/** The most paths that one line lists. */
const MAX_PATHS = 6;

/** A call that was checked. */
export interface CheckedCall {
  /** The call as it was given. */
  call: ToolCall;
  /** The call, ready to run. */
  prepared: Prepared;
  /** The sandbox of the call. */
  confinement: Confinement;
  /** The reason why the call would be refused, if it would. */
  refusal: string | undefined;
}

/** The directories of the program and of the call, which have names instead of paths. */
interface Places {
  program: string;
}

/**
 * The page about a checked call: its needs and whether the flags grant them, its sandbox, and the
 * command that works.
 */
export function checkPage(
  { call, prepared, confinement, refusal }: CheckedCall,
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
    ...kept.flatMap((each, at) =>
      row(at === 0 ? "kept" : "", `${inline(keptFlag(each))}, by an earlier answer`)
    ),
    ...row("sandbox", sandboxText(confinement)),
    ...accessRows(confinement, { program }, grantsAll(line)).flatMap(([label, text]) =>
      row(label, text)
    ),
    ...verdictLines({ call, prepared, refusal }, { line, page, width }),
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
  { label, width, page }: { label: string; width: number; page: TextLayout },
): string[] {
  const { permission, granted, denied, flag, why } = decision;
  const need = inline(`${permission.name} ${valueOf(permission)}`);
  const mark = granted ? "✓" : "✗";
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
    ...(typeof kernel !== "string" && kernel.mounts?.isMade === true ? ["read-only mounts"] : []),
  ];
  const text = layers.length === 0
    ? "none: the call may do everything that you may do"
    : layers.join(", ");
  return executor === "background_process" ? `${text} (in the background)` : text;
}

type Values = true | readonly string[];

/** The kinds of access that the flags grant without naming a path. */
function grantsAll({ grants: { all, allow } }: CommandLine): { read: boolean; write: boolean } {
  return { read: all || allow.read === true, write: all || allow.write === true };
}

/** The text for a list of all directories of the system. The kernel's own files are not in it. */
const ALL_FILES = ["every file, except files of the kernel and files that a flag denies"];

function whole(values: Values): Values {
  return values === true || values.length === 0 ? values : ALL_FILES;
}

/** The files that the call may read and write, and the hosts that it may reach. */
function accessRows(
  { runtime, kernel, missing }: Confinement,
  places: Places,
  grants: { read: boolean; write: boolean },
): [label: string, text: string][] {
  if (missing) return [];
  const rights = typeof runtime === "object" ? runtime : undefined;
  const files = typeof kernel === "object" ? kernel.files : undefined;
  const isOpen = rights === undefined && files === undefined;
  const read: Values = files?.read ?? rights?.read ?? (isOpen ? true : []);
  const write: Values = files?.write ?? rights?.write ?? (isOpen ? true : []);
  const system = typeof kernel === "object" && kernel.system !== undefined
    ? ["libraries and settings of the system"]
    : [];
  const execute = (files?.execute ?? []).filter((path) => !path.startsWith(places.program));
  return [
    ["may read", pathsText(grants.read ? whole(read) : read, places, system)],
    ["may write", pathsText(grants.write ? whole(write) : write, places)],
    ...(execute.length > 0 ? [["may run", pathsText(execute, places)] as [string, string]] : []),
    ["network", networkText({ runtime, kernel })],
  ];
}

function pathsText(values: Values, { program }: Places, more: readonly string[] = []): string {
  if (values === true) return "everything";
  const own = values.filter((path) => !path.startsWith(program));
  const named = own.map((path) =>
    path === "/"
      ? "everything"
      : path === "$TMPDIR"
      ? "a private temporary directory"
      : inline(path)
  );
  const all = [...named.slice(0, MAX_PATHS), ...more];
  const left = named.length - MAX_PATHS;
  if (left > 0) all.push(`${left} more`);
  return all.join(", ") || "nothing";
}

function networkText({ runtime, kernel }: Pick<Confinement, "runtime" | "kernel">): string {
  const programs = typeof kernel === "object" ? kernel.network?.open : undefined;
  if (programs !== undefined) return programs;
  if (typeof runtime !== "object") return runtime === "open" ? "everything" : "none";
  if (runtime.net === true) return "everything";
  return runtime.net.map(inline).join(", ") || "none";
}

/** Whether the call is granted, and the command that makes it. */
function verdictLines(
  { call, prepared: { decisions }, refusal }: Pick<CheckedCall, "call" | "prepared" | "refusal">,
  { line, page, width }: { line: CommandLine; page: TextLayout; width: number },
): string[] {
  const missing = decisions.filter(({ granted }) => !granted);
  const command = (more: readonly string[]) => repeatCommand(call, { line, more, page });
  const say = (text: string, style: "green" | "red") =>
    wrap(text, width).map((each) => page.paint(each, style));
  if (refusal === undefined) return [...say("Granted. To run it:", "green"), ...command([])];
  if (missing.length === 0) return say(`Refused. ${inline(refusal)}`, "red");
  if (missing.some(({ denied }) => denied)) {
    return say("Not granted. A flag denies it, which overrides every flag that allows.", "red");
  }
  const more = missing.map(({ flag }) => flag);
  return [...say("Not granted. To allow it:", "red"), ...command(more)];
}
