/** A terminal that is closed at any moment of a question. */
import { expect } from "@std/expect";
import { executable, type Result } from "../../../support/executable.ts";
import { has } from "../../../support/programs.ts";

/** How often a terminal is closed. */
const TIMES = 24;

/** Asks on a terminal of its own, closes it after argv[1] ms of being written to, prints the result. */
const asking = `
import fcntl, os, pty, subprocess, sys, termios, time
master, slave = pty.openpty()
def own():
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
call = '{"questions": [{"question": "Which one?", "header": "One", "options": [' \\
    '{"label": "a", "description": "a"}, {"label": "b", "description": "b"}]}]}'
child = subprocess.Popen([sys.argv[2], "-A", "AskUserQuestion", call], stdin=slave,
    stderr=slave, stdout=subprocess.PIPE, preexec_fn=own, env={**os.environ, "TERM": sys.argv[3]})
os.close(slave)
os.read(master, 1)
time.sleep(int(sys.argv[1]) / 1000)
os.close(master)
sys.stdout.buffer.write(child.communicate()[0])
`;

Deno.test({
  name: "a terminal that is closed while a question is written or waits is told in words",
  ignore: Deno.build.os === "windows" || !has("python3"),
  fn: () => {
    const told: Record<string, number> = {};
    for (let time = 0; time < TIMES; time++) {
      const term = time % 2 === 0 ? "dumb" : "xterm";
      const args = ["-c", asking, String(time >> 2), executable, term];
      const { stdout } = new Deno.Command("python3", { args }).outputSync();
      const { content, _meta }: Result = JSON.parse(new TextDecoder().decode(stdout));
      const code = _meta?.["toolcall/error"].code;
      const line = `${code}: ${content[0]?.text}`;
      told[line] = (told[line] ?? 0) + 1;
    }
    const expected = /^(unavailable: The terminal was closed|cancelled: Cancelled)/;
    expect(Object.entries(told).filter(([line]) => !expected.test(line))).toEqual([]);
  },
});
