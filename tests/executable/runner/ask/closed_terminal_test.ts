/** A terminal that is closed at any moment of a question. */
// tier: machine
import { expect } from "@std/expect";
import { executable, type Result } from "../../../support/executable.ts";
import { has } from "../../../support/programs.ts";

/** The number of terminals that are closed. */
const ROUNDS = 24;

/**
 * Asks a question on a new terminal, closes the terminal argv[1] ms after its first output, and
 * prints the result of the call. The moments differ because the terminal may be closed at any time.
 */
const script = `
import fcntl, os, pty, subprocess, sys, termios, time
master, slave = pty.openpty()
def take_terminal():
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
call = '{"questions": [{"question": "Which one?", "header": "One", "options": [' \\
    '{"label": "a", "description": "a"}, {"label": "b", "description": "b"}]}]}'
child = subprocess.Popen([sys.argv[2], "-A", "AskUserQuestion", call], stdin=slave,
    stderr=slave, stdout=subprocess.PIPE, preexec_fn=take_terminal, env={**os.environ, "TERM": sys.argv[3]})
os.close(slave)
os.read(master, 1)
time.sleep(int(sys.argv[1]) / 1000)
os.close(master)
sys.stdout.buffer.write(child.communicate()[0])
`;

Deno.test({
  name:
    "closed terminal > a call fails with a clear message when its terminal is closed during a question",
  ignore: Deno.build.os === "windows" || !has("python3"),
  fn: () => {
    const messages: Record<string, number> = {};
    for (let round = 0; round < ROUNDS; round++) {
      const term = round % 2 === 0 ? "dumb" : "xterm";
      const args = ["-c", script, String(round >> 2), executable, term];
      const { stdout } = new Deno.Command("python3", { args }).outputSync();
      const { content, _meta }: Result = JSON.parse(new TextDecoder().decode(stdout));
      const code = _meta?.["toolcall/error"].code;
      const line = `${code}: ${content[0]?.text}`;
      messages[line] = (messages[line] ?? 0) + 1;
    }
    const expected = /^(unavailable: The terminal was closed|cancelled: Cancelled)/;
    expect(Object.entries(messages).filter(([line]) => !expected.test(line))).toEqual([]);
  },
});
