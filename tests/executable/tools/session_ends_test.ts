/** The shell of a session when a call is killed, needs a terminal, or comes late. */
// tier: machine
import { expect } from "@std/expect";
import { processesWith, uniqueSeconds } from "../../support/processes.ts";
import { has } from "../../support/programs.ts";
import { sessionDesk } from "../../support/session_desk.ts";
import { until } from "../../support/wait.ts";
import { begin, ignore } from "./session_calls.ts";

Deno.test({
  name:
    "session shell > a call after a killed call finds the shell again, or says why it has ended",
  ignore,
  async fn() {
    await using here = sessionDesk();
    await here.run("x=1");
    const mark = uniqueSeconds();
    const killed = await begin(here, `sleep ${mark}`);
    killed.kill("SIGKILL");
    await killed.output();
    const found = await here.run("echo $x");
    expect([found.text, found._meta]).toEqual([
      "1\n",
      { "toolcall/shell": { session: "main", state: "kept" } },
    ]);
    expect(await until(() => processesWith(mark).length === 0)).toBe(true);
    const deaf = await begin(here, "trap '' INT; while :; do sleep 0.5; done");
    deaf.kill("SIGKILL");
    await deaf.output();
    expect((await here.run("echo ${x-none}")).text).toBe(
      "none\n[This is a new shell, because the one before has ended: the call of its last " +
        "command was killed, and the command did not end by itself.]",
    );
  },
});

/** The commands of programs that need a terminal, by the names of the programs. */
const TERMINAL_PROGRAMS: Readonly<Record<string, string>> = {
  vi: "vi -u NONE file",
  less: "less file",
  top: "top",
  stty: "stty -a",
  tty: "tty",
};

Deno.test({
  name: "session shell > a program that needs a terminal ends, and the shell is kept",
  ignore,
  async fn() {
    await using here = sessionDesk();
    Deno.writeTextFileSync(`${here.work}/file`, "text\n");
    await here.run("x=1");
    const programs = Object.keys(TERMINAL_PROGRAMS).filter(has);
    const commands = [
      "exec 3<>/dev/tty && echo reached",
      "read -r line </dev/tty && echo reached",
      ...programs.map((name) => TERMINAL_PROGRAMS[name]!),
    ];
    for (const command of commands) {
      const { text, _meta } = await here.run(command, { timeout: 20_000 });
      expect(text).not.toContain("reached");
      const shell = (_meta as Record<string, unknown>)["toolcall/shell"] ??
        _meta!["toolcall/error"]["shell"];
      expect({ command, shell }).toMatchObject({ command, shell: { state: "kept" } });
    }
    expect((await here.run("echo $x")).text).toBe("1\n");
  },
});

Deno.test({
  name: "session shell > the shell ends after the configured idle time, and the next call says so",
  ignore,
  async fn() {
    await using here = sessionDesk();
    const config = `${here.work}/../toolcall.json`;
    const policy = { Bash: { idleMs: 1_000 } };
    Deno.writeTextFileSync(config, JSON.stringify({ policy }));
    const flags = [...here.flags, `--config=${config}`];
    await here.run("x=1", {}, flags);
    const isOver = async () => (await here.tasks()).every(({ status }) => status === "completed");
    expect(await until(isOver)).toBe(true);
    expect((await here.run("echo ${x-none}", {}, flags)).text).toContain(
      "none\n[This is a new shell, because the one before has ended: it was not used for 1 s",
    );
    Deno.writeTextFileSync(config, JSON.stringify({ policy: { Bash: { idleMs: 10 } } }));
    const { text, isError } = await here.run("echo never", {}, flags);
    expect(isError).toBe(true);
    expect(text).toContain("/policy/Bash/idleMs");
  },
});
