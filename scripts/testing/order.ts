/** The order of the machine's tests in a run whose time may not be enough for all of them. */
import { chooseTests, filesChangedSince } from "./changed_tests.ts";
import { git } from "./git.ts";
import { readSeconds, slowestFirst } from "./test_seconds.ts";

/** A change of these needs every table of attacks. */
const ATTACKED = /(^|\/)(sandbox|policy|native|call)\//;

const ATTACKS = "tests/sandbox/attacks/";

/**
 * Orders `files`. First come the tables of attacks, when a change since `revision` can concern them.
 * Then come the files that such a change can break. Both begin with the slowest. The hash of the
 * commit rotates the others, so that each of them runs in some run. A revision that this clone does
 * not have counts as no change.
 */
export function orderByChange(files: readonly string[], revision: string): string[] {
  let changed: string[] = [];
  try {
    changed = filesChangedSince(revision);
  } catch {
    // A clone without history has no such revision.
  }
  const isConcerned = changed.some((path) => ATTACKED.test(path));
  const attacks = isConcerned ? files.filter((file) => file.startsWith(ATTACKS)) : [];
  const broken = chooseTests(changed, files).map(({ file }) => file);
  const seconds = readSeconds();
  const others = rotate(files.toSorted(), parseInt(git("rev-parse", "HEAD")[0]!.slice(0, 8), 16));
  const first = [attacks, broken].flatMap((each) => slowestFirst(each, seconds));
  return [...new Set([...first, ...others])];
}

function rotate(files: readonly string[], by: number): string[] {
  const at = files.length === 0 ? 0 : by % files.length;
  return [...files.slice(at), ...files.slice(0, at)];
}
