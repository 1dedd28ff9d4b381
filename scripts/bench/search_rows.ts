/** The rows of searches in a large tree, beside ripgrep itself. */
import { globCall, grepCall, smallDirectory, toolcall } from "./calls.ts";
import { writeLandlocked } from "./landlocked.ts";
import { timeOf } from "./processes.ts";
import { atMost, type Row, type Section } from "./rows.ts";
import type { Workspace } from "./workspace.ts";

/** The tree of the rows with a target: ripgrep searches it in about 150 ms on two cores. */
const [FILES, BYTES] = [21_000, 6_000];

/** The files of larger trees are smaller, in bytes, so that a million of them fit on a disk. */
const GROWTH_BYTES = 200;

/** `Grep` and `Glob` in a tree of 21,000 files. */
export function searchSection(workspace: Workspace): Section {
  const rows = searchRows({ name: "", files: FILES }).map((row) => ({
    ...row,
    group: "search" as const,
    target: atMost(row.name.startsWith("grep") ? 1.15 : 1.5),
  }));
  const [many, { of = "", minus = "" } = {}] = [
    `${FILES.toLocaleString("en")} files`,
    rows.find(({ name }) => name === "glob-tree"),
  ];
  // Glob shows the newest files first, so it asks for the time of each file, as this option does.
  const sorted = {
    name: "glob-tree-sorted",
    of,
    minus,
    to: sortedIn(many),
    group: "search" as const,
  };
  // The kernel looks up each file that a restricted ripgrep opens, and nothing can save that.
  const restricted = {
    name: "rg-landlock",
    of: restrictedIn(many),
    to: `rg in ${many}`,
    group: "search" as const,
  };
  return {
    rounds: 20,
    rows: [...rows, sorted, restricted],
    subjects: subjectsFor(workspace, { files: FILES, bytes: BYTES }),
  };
}

/** The same in a tree of another size, for the rows of growth. */
export function treeSection(workspace: Workspace, files: number): Section {
  return {
    rounds: files > 100_000 ? 3 : 10,
    rows: searchRows({ name: `-${files}`, files }).filter(({ of }) => of.includes("scoped"))
      .map((row) => ({ ...row, group: "growth" })),
    subjects: subjectsFor(workspace, { files, bytes: GROWTH_BYTES }),
  };
}

const restrictedIn = (many: string) => `rg restricted by Landlock, in ${many}`;
const sortedIn = (many: string) => `rg --files --sortr=modified in ${many}`;

function searchRows({ name, files }: { name: string; files: number }): Omit<Row, "group">[] {
  const many = `${files.toLocaleString("en")} files`;
  return (["scoped", "-A"] as const).flatMap((flags) => [
    {
      name: `grep-tree${flags === "-A" ? "-all" : ""}${name}`,
      of: `Grep of ${many}, ${flags}`,
      minus: `Grep of two files, ${flags}`,
      to: `rg in ${many}`,
    },
    {
      name: `glob-tree${flags === "-A" ? "-all" : ""}${name}`,
      of: `Glob of ${many}, ${flags}`,
      minus: `Glob of two files, ${flags}`,
      to: `rg --files in ${many}`,
    },
  ]);
}

function subjectsFor(
  workspace: Workspace,
  { files, bytes }: { files: number; bytes: number },
): Section["subjects"] {
  const many = `${files.toLocaleString("en")} files`;
  const search =
    (tool: typeof grepCall, directory: () => Promise<string>, isScoped: boolean) => async () => {
      const path = await directory();
      return timeOf(
        await toolcall(workspace, [isScoped ? `--allow-read=${path}` : "-A"], { call: tool(path) }),
      );
    };
  const ripgrep = (...args: string[]) => async () =>
    timeOf({ command: [await workspace.part("rg"), ...args, await tree()] });
  const restricted = async () => {
    const [directory, program] = [await tree(), await workspace.part("rg")];
    const file = `${workspace.directory}/landlocked-${files}`;
    writeLandlocked(file, { directory, program });
    return timeOf({ command: [file, program, "--files-with-matches", "needle", directory] });
  };
  const tree = () => workspace.tree(files, bytes);
  const small = () => smallDirectory(workspace);
  const tools = [["Grep", grepCall], ["Glob", globCall]] as const;
  return {
    [`rg in ${many}`]: ripgrep("--files-with-matches", "needle"),
    [`rg --files in ${many}`]: ripgrep("--files"),
    [restrictedIn(many)]: restricted,
    [sortedIn(many)]: ripgrep("--files", "--sortr=modified"),
    ...Object.fromEntries(tools.flatMap(([name, tool]) => [
      [`${name} of ${many}, scoped`, search(tool, tree, true)],
      [`${name} of ${many}, -A`, search(tool, tree, false)],
      [`${name} of two files, scoped`, search(tool, small, true)],
      [`${name} of two files, -A`, search(tool, small, false)],
    ])),
  };
}
