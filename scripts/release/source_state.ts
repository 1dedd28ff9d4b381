/** The commit of the sources of a build. */
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The commit of the sources, and its time. */
export interface SourceState {
  /** The hash of the commit, with "-changed" after it if a file differs. "unknown" without git. */
  commit: string;
  /** The time of the commit in ISO 8601. 2020-01-01 without git. */
  time: string;
}

/** Asks git for the commit of this checkout. */
export async function sourceState(): Promise<SourceState> {
  const [commit, status, seconds] = await Promise.all([
    git("rev-parse", "HEAD"),
    git("status", "--porcelain", "--untracked-files=no"),
    git("log", "-1", "--format=%ct"),
  ]);
  if (commit === undefined) return { commit: "unknown", time: "2020-01-01T00:00:00Z" };
  return {
    commit: status === "" ? commit : `${commit}-changed`,
    time: new Date(Number(seconds) * 1000).toISOString().replace(/\.\d+/, ""),
  };
}

async function git(...args: string[]): Promise<string | undefined> {
  try {
    const { success, stdout } = await new Deno.Command("git", {
      args,
      cwd: root,
      stderr: "null",
    }).output();
    return success ? new TextDecoder().decode(stdout).trim() : undefined;
  } catch {
    return undefined;
  }
}
