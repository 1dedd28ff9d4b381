/** Texts of calls, files and flags at a terminal: they are shown, and cannot control it. */
import { expect } from "@std/expect";
import { atTerminal } from "../../../support/at_terminal.ts";
import { temporaryDirectory } from "../../../support/executable.ts";

/** Sets the title of a window, turns the writing direction, and is a control character of eight bits. */
const HOSTILE = "a\u001b]0;X\u0007\u202e\u009b31m\rb";

/** Command lines that print the hostile text in their result, an error, a help line or a report. */
const LINES: readonly (readonly string[])[] = [
  ["Read", `file_path=/nope/${HOSTILE}`],
  ["-A", "Read", `file_path=/nope/${HOSTILE}`],
  ["check", "Read", `file_path=/nope/${HOSTILE}`],
  ["check", "Bash", `command=echo ${HOSTILE}`],
  ["Bash", `command=echo ${HOSTILE}`],
  ["-A", "Bash", `command=echo '${HOSTILE}'`],
  ["-A", "Bash", `command=exit 3 # ${HOSTILE}`],
  ["-A", "Bash", `timeout=${HOSTILE}`],
  [`--allow-read=${HOSTILE}`, "Read", `file_path=/nope/${HOSTILE}`],
  [`--allow-run=${HOSTILE}`, "Bash", "command=ls"],
  [`--tools=${HOSTILE}`, "list"],
  [`--bundle=${HOSTILE}`, "list"],
  [`-P=${HOSTILE}`, "Read"],
  [`--root=/nope/${HOSTILE}`, "Read"],
  [`--${HOSTILE}`],
  [HOSTILE],
  ["describe", HOSTILE],
  ["help", HOSTILE],
  ["config", HOSTILE],
  ["config", "get", HOSTILE],
  ["config", "check", HOSTILE],
  ["config", "trust", "--yes"],
  ["list", "-A"],
  ["doctor"],
  ["bundles"],
  ["-A", "fs.list", "path=."],
  ["-A", "Glob", "pattern=*"],
  ["-A", "Grep", "pattern=.", "output_mode=content"],
];

Deno.test({
  name: "terminal > no text of a call, a file or a flag controls the terminal",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using directory = temporaryDirectory();
    const cwd = directory.path;
    Deno.writeTextFileSync(`${cwd}/${HOSTILE}`, `${HOSTILE}\n`);
    const configuration = {
      bundles: { [HOSTILE]: { required: ["Read"], description: HOSTILE } },
      commands: { hostile: { description: HOSTILE, run: ["echo", HOSTILE] } },
      mcpServers: { hostile: { command: HOSTILE } },
    };
    Deno.writeTextFileSync(`${cwd}/toolcall.json`, JSON.stringify(configuration));
    const env = { XDG_CONFIG_HOME: `${cwd}/own`, TERM: "xterm", NO_COLOR: "" };
    for (const args of LINES) {
      const { written } = await atTerminal([...args], { cwd, env });
      // The terminal itself writes a carriage return before each line end, and an elapsed line begins with one.
      const others = written.replaceAll("\r\n", "\n")
        // deno-lint-ignore no-control-regex
        .replaceAll(/\u001b\[(?:[0-2]|3[1236])m|\r[ -~]*(?=\r|$)/g, "");
      // deno-lint-ignore no-control-regex
      expect({ args, controls: others.match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/g) })
        .toEqual({ args, controls: null });
      expect(written.length).toBeGreaterThan(0);
    }
  },
});
