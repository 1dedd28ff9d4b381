import { quote } from "../../base/text/quote.ts";
import type { GitRequest } from "./request.ts";
import { type Git, runGit } from "./run_git.ts";

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
