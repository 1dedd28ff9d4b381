import { KeptOutput } from "../process/kept_output.ts";
import { type Ended, runToEnd } from "../process/run_to_end.ts";
import type { RunningProgram, ToolContext } from "../../runner/registry/tool_context.ts";
import { ALWAYS_SET, gitEnvironment } from "./program_settings.ts";
import { quote } from "../../base/text/quote.ts";
import type { GitRequest } from "./git_request.ts";

/** The most characters of a result that are shown; the whole is then in a file. */
const MAX_OUTPUT = 30_000;

/** The most characters that are taken of what git says of itself. */
const MAX_MESSAGES = 8_000;

/** The most that is read of an answer to a question of ours, in characters. */
const MAX_ANSWER = 100_000;

/** What a run of git came to. */
export interface GitRun extends Ended {
  /** What it printed to stdout. */
  stdout: string;
  /** What it printed to stderr. */
  stderr: string;
  /** The file that holds the whole output, where it was too long to be shown. */
  outputFile?: string;
}

/** Git in the working folder of a call. */
export interface Git {
  /** Whether the call changes something. */
  changes: boolean;
  /** The call. */
  ctx: ToolContext;
  /** The arguments that select the repository; none before it is found. */
  repository: readonly string[];
  /** What ends the programs that were started: to be called when no other will be. */
  ends: (() => Promise<void>)[];
}

/** Starts git under the settings of every call; it is ended with the call, or when that is aborted. */
export function startGit(
  args: readonly string[],
  { changes, ctx, repository, ends }: Git,
): RunningProgram {
  const program = ctx.spawn("git", ["--no-pager", ...repository, ...ALWAYS_SET, ...args], {
    env: gitEnvironment({ changes }),
  });
  ends.push(() => program.end());
  // What looks after a call's programs goes with the last of them: so none is ended before that.
  return { ...program, end: () => ctx.signal.aborted ? program.end() : Promise.resolve() };
}

/**
 * Runs git, which asks nobody and runs no hook, pager or editor, with the `settings` besides those
 * of every call. What it prints is cut visibly, with the whole in a file; `isAnswer` is for
 * what only this program reads; then the signal's reason is thrown once the call is aborted.
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
  // Half an answer would be taken for one.
  if (isAnswer) {
    ctx.signal.throwIfAborted();
    if (stdout.isCut) throw new Error("Cannot use git here: its answer is too long");
  }
  return {
    ...ended,
    stdout: stdout.text(),
    stderr: stderr.text(),
    ...(stdout.path !== undefined && { outputFile: stdout.path }),
  };
}

function noFile(): never {
  throw new Error("only its beginning and end are kept");
}

/**
 * The id of what a request's revision names, or for a range in a log or a diff two ids with their
 * dots; nothing where it names none. Throws for a revision that the repository does not have.
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
