import { KeptOutput } from "../process/kept_output.ts";
import { type ExitStatus, runToEnd } from "../process/run_to_end.ts";
import type { RunningProgram, ToolContext } from "../../runner/registry/tool_context.ts";
import { quote } from "../../base/text/quote.ts";
import type { GitRequest } from "./git_request.ts";

/** The most characters of a result that are shown; a file gets the whole output. */
const MAX_OUTPUT = 30_000;

/** The most characters of git's messages that are kept. */
const MAX_MESSAGES = 8_000;

/** The longest output that only this program reads, in characters. */
const MAX_ANSWER = 100_000;

/** Settings of every call, which override every configuration. */
const SETTINGS = [
  ...["core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "core.editor=:"],
  ...["core.askPass=", "core.sshCommand=false", "core.quotePath=false", "sequence.editor=:"],
  ...["diff.external=", "diff.noprefix=false", "diff.mnemonicPrefix=false"],
  ...["log.showSignature=false", "gc.auto=0", "maintenance.auto=false", "gc.recentObjectsHook="],
  ...["submodule.recurse=false", "diff.ignoreSubmodules=dirty", "status.submoduleSummary=false"],
  "credential.helper=",
  ...["color.ui=never", "color.status=never", "color.diff=never", "color.branch=never"],
  ...["column.ui=never", "advice.detachedHead=false", "uploadpack.packObjectsHook="],
  ...["core.alternateRefsCommand=false", "core.gitProxy=", "interactive.diffFilter="],
  // A repository could name any file by these.
  ...["mailmap.file=", "mailmap.blob=", "diff.orderFile=/dev/null"],
].flatMap((setting) => ["-c", setting]);

/** The result of a run of git. */
export interface GitRun extends ExitStatus {
  /** The text on stdout. */
  stdout: string;
  /** The text on stderr. */
  stderr: string;
  /** The file with the whole output, if it was too long to be shown. */
  outputFile?: string;
}

/** The state of git during a call. */
export interface Git {
  /** True if the call changes something. */
  changes: boolean;
  /** The call. */
  ctx: ToolContext;
  /** The arguments that select the repository; empty before it is found. */
  repository: readonly string[];
  /** The functions that end the started programs. Call them when no further program will start. */
  ends: (() => Promise<void>)[];
}

/** Starts git with the settings of every call. It ends with the call, or when that is aborted. */
export function startGit(args: readonly string[], own: Git): RunningProgram {
  const { ctx, repository, ends } = own;
  const program = ctx.spawn("git", ["--no-pager", ...repository, ...SETTINGS, ...args], {
    env: environment(own),
  });
  ends.push(() => program.end());
  // The supervisor of a call's programs ends with the last of them, so do not end one early.
  return { ...program, end: () => ctx.signal.aborted ? program.end() : Promise.resolve() };
}

/**
 * The environment of git, which no configuration can override. Git asks nobody, reaches no other
 * repository and writes nothing when it only reads.
 */
function environment({ changes }: Git): Record<string, string> {
  return {
    GIT_TERMINAL_PROMPT: "0",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_NO_LAZY_FETCH: "1",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_PAGER: "cat",
    GIT_EDITOR: ":",
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
    LC_ALL: "C",
    ...(!changes && { GIT_OPTIONAL_LOCKS: "0" }),
  };
}

/**
 * Runs git with `settings` and those of every call: it asks nobody and runs no hook, pager or
 * editor. Long output is cut with a note, and a file gets all of it. `isAnswer` is for output that
 * only this program reads; then an abort of the call throws the signal's reason.
 */
export async function runGit(
  args: readonly string[],
  { settings = [], isAnswer = false, ...own }: Git & {
    settings?: readonly string[];
    isAnswer?: boolean;
  },
): Promise<GitRun> {
  const { ctx } = own;
  const program = startGit([...settings, ...args], own);
  const open = isAnswer ? noFile : () => program.openOutput();
  const stdout = new KeptOutput(isAnswer ? MAX_ANSWER : MAX_OUTPUT, open);
  const stderr = new KeptOutput(MAX_MESSAGES, noFile);
  const ended = await runToEnd(program, {
    signal: ctx.signal,
    stdout: (chunk) => stdout.add(chunk),
    stderr: (chunk) => stderr.add(chunk),
  });
  stdout.close();
  stderr.close();
  // Incomplete output would be mistaken for complete output.
  if (isAnswer) {
    ctx.signal.throwIfAborted();
    if (stdout.isCut) throw new Error("Cannot use git here: its output is too long");
  }
  return {
    ...ended,
    stdout: stdout.text(),
    stderr: stderr.text(),
    ...(stdout.path !== undefined && { outputFile: stdout.path }),
  };
}

function noFile(): never {
  throw new Error("only the beginning and the end are kept");
}

/**
 * Returns the id of the object that a request's revision names. For a range in a log or a diff,
 * returns two ids with the dots. Returns `undefined` without a revision. Throws for a revision that
 * the repository does not have.
 */
export async function resolveRevision(
  { action, revision }: GitRequest,
  own: Git,
): Promise<string | undefined> {
  if (revision === undefined) return undefined;
  const type = action === "show" ? "" : "^{commit}";
  const single = await objectOf(revision + type, own);
  if (single !== undefined) return single;
  const range = action === "log" || action === "diff"
    ? /^(.*?)(\.\.\.?)(?!\.)(.*)$/s.exec(revision)
    : null;
  if (range !== null) {
    const [, from = "", dots = "", to = ""] = range;
    const ends = await Promise.all(
      [from, to].map((end) => end.startsWith("-") ? undefined : objectOf(end || "HEAD", own)),
    );
    if (!ends.includes(undefined)) return ends.join(dots);
  }
  throw new Error(
    `Cannot ${action} ${quote(revision)}: the repository has no such revision` +
      (range === null && revision.includes("..") ? `, and ${action} takes no range` : ""),
    { cause: { revision } },
  );
}

async function objectOf(revision: string, own: Git): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", revision];
  const { code, stdout } = await runGit(args, { ...own, isAnswer: true });
  const id = stdout.trim();
  return code === 0 && /^[0-9a-f]{40,64}$/.test(id) ? id : undefined;
}
