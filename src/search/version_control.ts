/** The directories of version control systems, which a search for text or files leaves out. */
export const VERSION_CONTROL: ReadonlySet<string> = new Set([
  ...[".git", ".svn", ".hg", ".bzr", ".jj", ".sl"],
]);

/** The version control directory that a glob names, which is left out all the same. */
export function namedVersionControl(glob: string): string | undefined {
  return glob.split(/[/{},\s]/).find((part) => VERSION_CONTROL.has(part));
}
