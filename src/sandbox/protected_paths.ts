import { isThere } from "./paths.ts";

/**
 * Files that other programs run or obey, by the ends of their paths: who may
 * write them runs code outside of any sandbox. A name that ends in `/` is a
 * folder with all that it holds.
 */
const PROTECTED = [
  ...[".git/hooks/", ".git/config", ".git/config.worktree", ".git/info/attributes"],
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout"],
  ...[".gitconfig", ".gitmodules", ".ripgreprc", ".envrc", ".npmrc", ".ssh/"],
  ...[".mcp.json", ".vscode/", ".idea/", ".claude/", "toolcall.json"],
];

/**
 * The protected file or folder that `path`, which is real, is or lies in. A write
 * grant of a folder above it does not cover it: only one that names it does.
 */
export function protectedPath(path: string): string | undefined {
  const lower = `${path.toLowerCase()}/`;
  for (const name of PROTECTED) {
    const at = lower.indexOf(`/${name.replace(/\/$/, "")}/`);
    if (at < 0) continue;
    const end = at + name.replace(/\/$/, "").length + 1;
    // A file's name in the middle of a path is some folder's.
    if (name.endsWith("/") || end === path.length) return path.slice(0, end);
  }
  return undefined;
}

/** The protected files and folders that lie at the top of `folder`, as far as they are there. */
export function protectedPathsIn(folder: string): string[] {
  return PROTECTED.map((name) => `${folder}/${name.replace(/\/$/, "")}`).filter(isThere);
}
