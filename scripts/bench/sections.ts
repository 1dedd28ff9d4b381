/** Every section of the bench, in the order in which a run measures them. */
import { coldSection } from "./cold_rows.ts";
import { jobsSection, sizesSection, toolsSection } from "./growth_rows.ts";
import { longMemorySection, peakSection, serverMemorySection } from "./memory_rows.ts";
import { messageSection } from "./message_rows.ts";
import { peerSection } from "./peer_rows.ts";
import { readSection, toolSection } from "./resident_rows.ts";
import type { Section } from "./rows.ts";
import { searchSection, treeSection } from "./search_rows.ts";
import { unpackSection } from "./unpack_rows.ts";
import type { Workspace } from "./workspace.ts";

/** The rows that `--quick` measures: they need no other program. */
export const QUICK_ROWS: readonly string[] = [
  ...["read-all", "read-all-fresh", "read-scoped", "bash-scoped", "grep-scoped", "glob-scoped"],
  ...["list", "mcp-start", "resident-bash", "resident-grep", "resident-write", "message"],
  ...["memory-read-scoped"],
];

/** All sections. With `isLarge` they include a million calls, and a tree of a million files. */
export function allSections(workspace: Workspace, isLarge: boolean): Section[] {
  return [
    coldSection(workspace),
    unpackSection(workspace),
    searchSection(workspace),
    readSection(workspace),
    toolSection(workspace),
    messageSection(workspace),
    peakSection(workspace),
    serverMemorySection(workspace),
    longMemorySection(workspace, { name: "mcp", isLarge }),
    longMemorySection(workspace, { name: "submit", isLarge }),
    peerSection(workspace),
    toolsSection(workspace),
    sizesSection(workspace),
    jobsSection(workspace),
    ...[1_000, 10_000, 100_000, ...isLarge ? [1_000_000] : []]
      .map((files) => treeSection(workspace, files)),
  ];
}
