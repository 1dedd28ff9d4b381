import { dirname } from "@std/path/posix/dirname";
import { pathRules } from "../../base/fs/path_rules.ts";
import { plural } from "../../base/text/amounts.ts";
import { quote } from "../../base/text/quote.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { commandOf, DEFAULT_LIMIT } from "./git_arguments.ts";
import { programNames, withoutPrograms } from "./program_names.ts";
import { changesFiles, type GitRequest } from "./git_request.ts";
import { type Git, type GitRun, resolveRevision, runGit } from "./run_git.ts";

/**
 * Runs a checked request on the repository of the working directory. Returns git's output, with
 * notes on what git did not do. Throws git's messages when it fails, with its exit code for
 * programs.
 */
export async function git(request: GitRequest, ctx: ToolContext): Promise<string> {
  const own: Git = { changes: changesFiles(request), ctx, repository: [], ends: [] };
  try {
    return await answer(request, own);
  } finally {
    for (const end of own.ends) await end();
  }
}

async function answer(request: GitRequest, found: Git): Promise<string> {
  const { top, gitDir } = await checkPlace(request, found);
  // From here on no file of the repository can redirect git to another repository.
  const own = { ...found, repository: [`--git-dir=${gitDir}`, `--work-tree=${top}`] };
  const programs = await programNames(top, own);
  const object = await resolveRevision(request, own);
  if (request.name !== undefined) await checkName(request, own);
  const settings = withoutPrograms(programs, own);
  const run = await runGit(commandOf(request, object), { ...own, settings });
  const notes = notesOn(request, run);
  if (programs.length > 0) {
    const [first, ...rest] = programs;
    const more = rest.length > 0 ? ` and ${rest.length} more` : "";
    notes.push(
      `Not run, because the repository's configuration names it: ${quote(first!)}${more}` +
        (own.changes ? "; files that need it are refused" : ""),
    );
  }
  const silent = request.action === "checkout"
    ? checkedOut(request, object)
    : NOTHING[request.action] ?? "";
  return textOf(request, { run, notes, silent });
}

/**
 * The top of the working tree, and the directory of the repository. Refuses a directory without a
 * repository, a repository whose files are elsewhere, and paths outside of it.
 */
async function checkPlace(
  { paths = [] }: GitRequest,
  own: Git,
): Promise<{ top: string; gitDir: string }> {
  const { cwd } = own.ctx;
  const asked = ["rev-parse", "--show-toplevel", "--absolute-git-dir"];
  const run = await runGit(asked, { ...own, isAnswer: true });
  if (run.code !== 0) {
    const hidden = own.ctx.mayRead(dirname(cwd))
      ? ""
      : "; the flags let git read nothing above the working directory";
    throw new Error(`Cannot find a repository at ${quote(cwd)}: ${run.stderr.trim()}${hidden}`, {
      cause: { exitCode: run.code },
    });
  }
  const [top = "", gitDir = "", ...more] = run.stdout.split("\n");
  if (more.join() !== "") throw new Error("Cannot use git here: a path has a line break");
  const isIn = (path: string) => path === top || path.startsWith(top === "/" ? top : `${top}/`);
  if (!isIn(cwd)) {
    const where = `at ${quote(top)}, not around the working directory`;
    throw new Error(
      `Cannot use git here: the configuration puts the files of this repository ${where}`,
    );
  }
  const outside = paths.find((path) => !isIn(pathRules.resolve(cwd, path)));
  if (outside !== undefined) {
    throw new Error(`Cannot use the path ${quote(outside)}: it is outside of the repository`);
  }
  return { top, gitDir };
}

async function checkName({ action, name = "", create }: GitRequest, own: Git): Promise<void> {
  if (create) {
    const args = ["check-ref-format", "--branch", name];
    const { code, stdout } = await runGit(args, { ...own, isAnswer: true });
    if (code === 0 && stdout === `${name}\n`) return;
    throw new Error(`Cannot create the branch ${quote(name)}: git does not accept such a name`);
  }
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `refs/heads/${name}`];
  if ((await runGit(args, { ...own, isAnswer: true })).code === 0) return;
  const hint = action === "checkout" ? "; use create to create it, or revision for a commit" : "";
  throw new Error(`Cannot ${action} ${quote(name)}: no such branch${hint}`);
}

function notesOn({ action, limit = DEFAULT_LIMIT, skip = 0 }: GitRequest, run: GitRun): string[] {
  const notes: string[] = [];
  if (run.outputFile !== undefined) notes.push("paths, limit, stat or lines would shorten it");
  if (action === "log" && run.stdout.match(/^commit [0-9a-f]{40,64}\b/gm)?.length === limit) {
    notes.push(
      `Limited to ${plural(limit, "commit")}. To continue: skip ${skip + limit}`,
    );
  }
  if (action === "commit" && run.code === 0) notes.push("Hooks were not run");
  if (/unable to auto-detect email|empty ident name|tell me who you are/i.test(run.stderr)) {
    notes.push(
      "No author is configured: set user.name and user.email in the repository's configuration, or " +
        "let git read the user's with --allow-read=~/.gitconfig and --allow-env=HOME",
    );
  }
  return notes;
}

/** The message of a checkout. git itself is quiet: it would look for changes to say more. */
function checkedOut({ name, create, paths }: GitRequest, object: string | undefined): string {
  if (paths !== undefined) return "Done";
  if (name === undefined) return `HEAD is now at ${object}`;
  return create ? `Switched to a new branch '${name}'` : `Switched to branch '${name}'`;
}

const NOTHING: Readonly<Partial<Record<GitRequest["action"], string>>> = {
  diff: "No differences",
  log: "No commits",
  add: "Nothing new to stage",
  branch: "Done",
};

function textOf(
  { action }: GitRequest,
  { run, notes, silent }: { run: GitRun; notes: readonly string[]; silent: string },
): string {
  const parts = [run.stdout, run.stderr].map((part) => part.replace(/\n+$/, ""));
  const text = (parts: readonly string[]) => parts.filter((part) => part !== "").join("\n");
  const remarks = notes.map((note) => `[${note}]`);
  if (run.code === 0 && !run.interrupted) {
    return text([text(parts) || silent, ...remarks]);
  }
  const why = run.interrupted ? "was stopped before its end" : `failed with exit code ${run.code}`;
  throw new Error(text([`git ${action} ${why}`, ...parts.reverse(), ...remarks]), {
    cause: {
      exitCode: run.code,
      ...(run.outputFile !== undefined && { outputFile: run.outputFile }),
    },
  });
}
