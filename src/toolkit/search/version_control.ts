/** The directories of version control systems, which a search for text or files leaves out. */
export const VERSION_CONTROL: ReadonlySet<string> = new Set([
  ...[".git", ".svn", ".hg", ".bzr", ".jj", ".sl"],
]);

/** The version control directories that a glob names. */
export function namedVersionControl(glob: string): ReadonlySet<string> {
  return new Set(glob.split(/[/{},\s]/)).intersection(VERSION_CONTROL);
}
