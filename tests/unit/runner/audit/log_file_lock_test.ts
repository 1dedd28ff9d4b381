/** A line of the audit file waits for a lock, at most as long as its time limit. */
// tier: machine
import { expect } from "@std/expect";
import { LogFile } from "../../../../src/runner/audit/log_file.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";

Deno.test("audit file > a lock that another process keeps delays a line, but the line is written", async () => {
  using directory = temporaryDirectory();
  const path = `${directory.path}/log`;
  using other = Deno.openSync(path, { read: true, write: true, create: true });
  other.lockSync(true);
  const log = LogFile.open(path, { room: 100 });
  expect(await log.append("a line\n")).toBe(false);
  log.close();
  expect(Deno.readTextFileSync(path)).toBe("a line\n");
});
