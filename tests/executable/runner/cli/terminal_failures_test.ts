/** Failures at a terminal: what is printed after them needs nothing that the process has given up. */
import { expect } from "@std/expect";
import { exitCodes } from "../../../../src/runner/call/failure.ts";
import { atTerminal } from "../../../support/at_terminal.ts";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";

/** Calls that fail, each with its exit code. */
const FAILURES: readonly (readonly [args: readonly string[], code: keyof typeof exitCodes])[] = [
  [["fs.read"], "invalid_arguments"],
  [["-A", "fs.read"], "invalid_arguments"],
  [["Read", "/etc/hostname"], "permission_denied"],
  [["--allow-read=.", "Read", "/etc/hostname"], "permission_denied"],
  [["--allow-read=.", "Grep", "path=/etc", "pattern=x"], "permission_denied"],
  [["Bash", "command=git status"], "permission_denied"],
  [["--allow-run=git", "Bash", "command=ls"], "permission_denied"],
  [["--allow-read=.", "Read", "./missing.txt"], "invalid_arguments"],
  [["--allow-read=.", "fs.read", "path=missing.txt"], "tool_failed"],
  [["-A", "Bash", "command=exit 3"], "tool_failed"],
  [["-A", "Bash", "timeout=nothing"], "invalid_arguments"],
  [["WebFetch", "url=https://example.com", "prompt=x"], "permission_denied"],
  [["nothing_like_this"], "tool_not_found"],
  [["shuot", "name=Ada"], "tool_not_found"],
  [["shout"], "invalid_arguments"],
];

/** A project without a configuration, and one with it. */
const PROJECTS: readonly (Record<string, unknown> | undefined)[] = [
  undefined,
  { tools: { disabled: ["WebSearch"] } },
];

Deno.test({
  name:
    "failures at a terminal > a tool of one's own and a project's configuration change no exit code",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using directory = temporaryDirectory();
    const env = { XDG_CONFIG_HOME: `${directory.path}/config` };
    const state = `--state-dir=${directory.path}/state`;
    for (const hasTool of [false, true]) {
      if (hasTool) {
        expect((await toolcall(["new", "shout", "--typescript"], { env })).code).toBe(0);
        expect((await toolcall(["try", "shout"], { env })).code).toBe(0);
      }
      for (const configuration of PROJECTS) {
        const cwd = Deno.makeTempDirSync({ dir: directory.path });
        if (configuration !== undefined) {
          Deno.writeTextFileSync(`${cwd}/toolcall.json`, JSON.stringify(configuration));
        }
        for (const [args, code] of FAILURES) {
          const isOwn = args[0] === "shout" && !hasTool;
          const seen = await atTerminal([...args, state], { cwd, env });
          const isFound = seen.written.includes(`error[${isOwn ? "tool_not_found" : code}]`);
          expect({ args, hasTool, code: seen.code, isFound, written: seen.written })
            .toEqual({
              ...{ args, hasTool, code: exitCodes[isOwn ? "tool_not_found" : code] },
              ...{ isFound: true, written: seen.written },
            });
        }
      }
    }
  },
});
