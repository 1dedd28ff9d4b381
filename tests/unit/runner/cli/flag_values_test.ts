/** The values of flags that name files. */
import { expect } from "@std/expect";
import { UsageError } from "../../../../src/base/errors.ts";
import { auditFile } from "../../../../src/runner/cli/flag_values.ts";
import { parseCommandLine } from "../../../../src/runner/cli/parse_command_line.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";

Deno.test("--audit > a log is refused where programs of a call may write to it", async () => {
  using directory = temporaryDirectory();
  const here = Deno.realPathSync(directory.path);
  const [log, inside] = [`${here}/audit.jsonl`, `${here}/inside`];
  const rows: [flags: string[], isRefused: boolean][] = [
    [[`--allow-write=${here}`, "--allow-run=bash"], true],
    [[`--allow-write=${here}/audit.jsonl`, "--allow-run"], true],
    [[`--allow-write=${inside}`, "--allow-run=bash"], false],
    // Without programs, the tools ask for each file that they write.
    [[`--allow-write=${here}`], false],
    [["--allow-run=bash"], false],
    [["--allow-all"], false],
  ];
  for (const [flags, isRefused] of rows) {
    const { grants } = await parseCommandLine(flags);
    const result = () => auditFile("audit.jsonl", { here, grants });
    if (isRefused) expect(result, String(flags)).toThrow(UsageError);
    else expect([flags, result()]).toEqual([flags, log]);
  }
});
