import { dirname } from "@std/path/posix/dirname";
import { resolve } from "@std/path/posix/resolve";
import { amount } from "../files/amounts.ts";
import { quote } from "../quote.ts";
import type { ToolContext } from "../registry/tool_context.ts";
import { commandOf, DEFAULT_LIMIT } from "./command.ts";
import { ownPrograms } from "./program_settings.ts";
import { changesFiles, type GitRequest } from "./request.ts";
import { settingNames } from "./setting_names.ts";
import { resolveRevision } from "./revision.ts";
import { type Git, type GitRun, runGit } from "./run_git.ts";

/**
 * Does what a checked request asks of the repository that holds the working folder, and returns
 * what git printed, with notes on what it did not do. Throws what git says when it fails, with
 * its exit code for programs.
 */
export async function git(request: GitRequest, ctx: ToolContext): Promise<string> {
  const own: Git = { changes: changesFiles(request), ctx, ends: [] };
  try {
    return await answer(request, own);
  } finally {
    for (const end of own.ends) await end();
  }
}

async function answer(request: GitRequest, own: Git): Promise<string> {
  const top = await checkPlace(request, own);
  const programs = ownPrograms(await settingNames(top, own), own);
  const object = await resolveRevision(request, own);
  if (request.name !== undefined) await checkName(request, own);
  const run = await runGit(commandOf(request, object), { ...own, settings: programs.settings });
  const notes = notesOn(request, run);
  if (programs.names.length > 0) {
    const [first, ...rest] = programs.names;
    const more = rest.length > 0 ? ` and ${rest.length} more` : "";
    notes.push(
      `Not run, because the repository's own configuration names it: ${quote(first!)}${more}` +
        (own.changes ? "; files that need it are refused" : ""),
    );
  }
  return textOf(request, { run, notes });
}

/**
 * The top of the working tree. Refuses what is none, or is one that lies elsewhere, and paths
 * outside of it.
 */
async function checkPlace({ paths = [] }: GitRequest, own: Git): Promise<string> {
  const { cwd } = own.ctx;
  const run = await runGit(["rev-parse", "--show-toplevel"], { ...own, isAnswer: true });
  if (run.code !== 0) {
    const hidden = own.ctx.mayRead(dirname(cwd))
      ? ""
      : "; the flags let git read nothing above the working folder";
    throw new Error(`Cannot find a repository at ${quote(cwd)}: ${run.stderr.trim()}${hidden}`, {
      cause: { exitCode: run.code },
    });
  }
  const top = run.stdout.replace(/\n$/, "");
  const isIn = (path: string) => path === top || path.startsWith(top === "/" ? top : `${top}/`);
  if (!isIn(cwd)) {
    throw new Error(
      `Cannot use git here: the configuration puts the files of this repository at ${
        quote(top)
      }, not around the working folder`,
    );
  }
  const outside = paths.find((path) => !isIn(resolve(cwd, path)));
  if (outside !== undefined) {
    throw new Error(`Cannot use the path ${quote(outside)}: it is outside of the repository`);
  }
  return top;
}

async function checkName({ action, name = "", create }: GitRequest, own: Git): Promise<void> {
  if (create) {
    const args = ["check-ref-format", "--branch", name];
    const { code, stdout } = await runGit(args, { ...own, isAnswer: true });
    if (code === 0 && stdout === `${name}\n`) return;
    throw new Error(`Cannot create the branch ${quote(name)}: git takes no such name`);
  }
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `refs/heads/${name}`];
  if ((await runGit(args, { ...own, isAnswer: true })).code === 0) return;
  const hint = action === "checkout"
    ? "; create makes it, and a commit that is no branch goes into revision"
    : "";
  throw new Error(`Cannot ${action} ${quote(name)}: there is no such branch${hint}`);
}

function notesOn({ action, limit = DEFAULT_LIMIT, skip = 0 }: GitRequest, run: GitRun): string[] {
  const notes: string[] = [];
  if (run.outputFile !== undefined) notes.push("paths, limit, stat or lines would make it shorter");
  if (action === "log" && run.stdout.match(/^commit [0-9a-f]{40,64}\b/gm)?.length === limit) {
    notes.push(`Shown: ${amount(limit, "commit")}, as limit says. To go on: skip ${skip + limit}`);
  }
  if (action === "commit" && run.code === 0) notes.push("Hooks were not run");
  if (/unable to auto-detect email|empty ident name|tell me who you are/i.test(run.stderr)) {
    notes.push(
      "Git knows no author: set user.name and user.email in the repository's configuration, or " +
        "let git read the user's with --allow-read=~/.gitconfig and --allow-env=HOME",
    );
  }
  return notes;
}

const NOTHING: Readonly<Partial<Record<GitRequest["action"], string>>> = {
  diff: "No differences",
  log: "No commits",
  add: "Nothing to stage that is not staged already",
  branch: "Done",
  checkout: "Done",
};

function textOf(
  { action }: GitRequest,
  { run, notes }: { run: GitRun; notes: readonly string[] },
): string {
  const parts = [run.stdout, run.stderr].map((part) => part.replace(/\n+$/, ""));
  const text = (parts: readonly string[]) => parts.filter((part) => part !== "").join("\n");
  const remarks = notes.map((note) => `[${note}]`);
  if (run.code === 0 && !run.interrupted) {
    return text([text(parts) || (NOTHING[action] ?? ""), ...remarks]);
  }
  const why = run.interrupted ? "was stopped before its end" : `failed with exit code ${run.code}`;
  throw new Error(text([`git ${action} ${why}`, ...parts.reverse(), ...remarks]), {
    cause: {
      exitCode: run.code,
      ...(run.outputFile !== undefined && { outputFile: run.outputFile }),
    },
  });
}
