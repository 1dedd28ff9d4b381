import { resolve } from "@std/path/posix/resolve";
import { runToEnd } from "../program/run_to_end.ts";
import { quote } from "../quote.ts";
import { ownNames } from "./program_settings.ts";
import { type Git, runGit, startGit } from "./run_git.ts";

/** The most repositories within a repository that are looked at. */
const MOST_REPOSITORIES = 200;

/** The mode of an entry of the index that stands for another repository. */
const GITLINK = "160000 ";

/**
 * The names of the settings of the repository whose working tree is at `top`, and for a call that
 * changes something of those within it: git looks into them for changes, under their settings.
 * Throws for more repositories than can be looked at.
 */
export async function settingNames(top: string, own: Git): Promise<string[]> {
  const names: string[] = [];
  const places = [top];
  for (const [count, place] of places.entries()) {
    if (count > MOST_REPOSITORIES) {
      throw new Error(
        `Cannot use git here: ${quote(top)} holds more than ${MOST_REPOSITORIES} repositories`,
      );
    }
    const where = place === top ? [] : [`--git-dir=${place}/.git`];
    const { code, stdout, stderr } = await runGit(
      [...where, "config", "--list", "--show-scope", "--name-only", "-z"],
      { ...own, isAnswer: true },
    );
    if (code === 0) {
      names.push(...ownNames(stdout));
      if (own.changes) places.push(...await repositoriesIn(place, { ...own, where }));
    } else if (place === top) {
      throw new Error(`Cannot read the configuration of ${quote(top)}: ${stderr.trim()}`);
    }
  }
  return names;
}

/** Where the index has other repositories. */
async function repositoriesIn(
  place: string,
  { where, ...own }: Git & { where: readonly string[] },
): Promise<string[]> {
  const program = startGit(["-C", place, ...where, "ls-files", "--stage", "-z"], own);
  const found: string[] = [];
  const decoder = new TextDecoder();
  let rest = "";
  await runToEnd(program, {
    signal: own.ctx.signal,
    stdout: (chunk) => {
      const entries = (rest + decoder.decode(chunk, { stream: true })).split("\0");
      rest = entries.pop()!;
      const links = entries.filter((entry) => entry.startsWith(GITLINK));
      found.push(...links.map((entry) => resolve(place, entry.slice(entry.indexOf("\t") + 1))));
    },
    stderr: () => {},
  });
  return found;
}
