/** A program that may read only some paths, by Landlock, and becomes another program. */
import { AT_FDCWD } from "../../src/runner/sandbox/linux/kernel.ts";
import { enterProgram, SystemCallTable } from "../../src/runner/sandbox/linux/system_call_table.ts";

/** Every access of Landlock's first version except executing, and the accesses that read. */
const [HANDLED, READ_FILE, READ_DIRECTORY] = [0x1ffen, 0x4n, 0x8n];
const [O_PATH, RULE_PATH_BENEATH, PR_SET_NO_NEW_PRIVS] = [0o10000000, 1, 38];
/** The ruleset and the first path get these descriptors: a program starts with three open ones. */
const [RULESET, FIRST] = [3, 4];

/**
 * Writes the program to `file`. The `program` of its first argument may then read its own file and
 * the files below `directory` (`landlock(7)`). This shows the cost of the restriction itself.
 */
export function writeLandlocked(
  file: string,
  { directory, program }: { directory: string; program: string },
): void {
  const table = new SystemCallTable();
  const text = new TextEncoder().encode("cannot enter Landlock");
  const length = new Uint8Array(new Uint32Array([text.length]).buffer);
  const failed = table.bytes(new Uint8Array([...length, ...text]));
  const handled = table.bytes(new Uint8Array(new BigUint64Array([HANDLED]).buffer));
  table.call("landlock_create_ruleset", [handled, 8, 0], failed);
  const rights = [[directory, READ_FILE | READ_DIRECTORY], [program, READ_FILE]] as const;
  for (const [at, [path, access]] of rights.entries()) {
    table.call("openat", [AT_FDCWD, table.text(path), O_PATH, 0], failed);
    const rule = new DataView(new ArrayBuffer(12));
    rule.setBigUint64(0, access, true);
    rule.setInt32(8, FIRST + at, true);
    const beneath = table.bytes(new Uint8Array(rule.buffer));
    table.call("landlock_add_rule", [RULESET, RULE_PATH_BENEATH, beneath, 0], failed);
  }
  table.call("prctl", [PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0], failed);
  table.call("landlock_restrict_self", [RULESET, 0], failed);
  Deno.writeFileSync(file, enterProgram(table, failed), { mode: 0o755 });
}
