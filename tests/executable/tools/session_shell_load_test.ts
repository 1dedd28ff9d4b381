/** The shell of a session when its command hangs, prints without end or starts too many processes. */
// tier: machine
import { expect } from "@std/expect";
import { processesWith, uniqueSeconds } from "../../support/processes.ts";
import { sessionDesk as desk } from "../../support/session_desk.ts";
import { until } from "../../support/wait.ts";
import { ignore } from "./session_calls.ts";

Deno.test({
  name:
    "session shell > a command that hangs is ended, and the result says whether the shell is kept",
  ignore,
  async fn() {
    await using here = desk();
    await here.run("x=1; sleep 1000 & job=$!");
    const hangs = await here.run("echo begun; while :; do sleep 0.1; done", { timeout: 2_000 });
    expect(hangs.text).toMatch(
      /^begun\nThe time limit of 2000 ms passed; .*\n\[The shell was kept/,
    );
    expect(hangs._meta!["toolcall/error"]).toMatchObject({
      code: "timeout",
      shell: { state: "kept" },
    });
    expect((await here.run("kill -0 $job && echo $x")).text).toBe("1\n");
    const deaf = await here.run("bash -c 'trap \"\" INT TERM; while :; do sleep 7; done'", {
      timeout: 2_000,
    });
    expect(deaf.text).toContain("[The shell was kept");
    expect((await here.run("kill -0 $job && echo $x")).text).toBe("1\n");
    const lost = await here.run("trap '' INT; while :; do :; done", { timeout: 2_000 });
    expect(lost.text).toContain("The shell was ended too, and its state is lost");
    expect((await here.run("echo ${x-none}")).text).toBe("none\n");
  },
});

Deno.test({
  name: "session shell > a long output is shortened, and a file has all of it",
  ignore,
  async fn() {
    await using here = desk();
    const { text } = await here.run("seq 200000; echo last");
    expect(text.length).toBeLessThan(31_000);
    expect(text).toMatch(/^1\n2\n/);
    expect(text).toMatch(/\nlast\n$/);
    const [, path] = /the whole output, 1288900 bytes, is in "(.*)"/.exec(text)!;
    expect(Deno.statSync(path!).size).toBe(1_288_900);
    Deno.removeSync(path!);
    const flood = await here.run("yes", { timeout: 2_000 });
    expect(flood.text).toContain("[The shell was kept");
    Deno.removeSync(/is in "(.*)"/.exec(flood.text)![1]!);
    expect((await here.run("echo after")).text).toBe("after\n");
  },
});

Deno.test({
  name: "session shell > a fork bomb ends with its shell",
  ignore,
  async fn() {
    await using here = desk();
    // The bomb also ends by itself.
    const bomb = "bomb() { [ $1 -gt 12 ] || { bomb $(($1+1)) | bomb $(($1+1)) & wait; }; }; ";
    const armed = await here.run(`${bomb} bomb 0 & disown; echo armed`);
    // A fast machine has more than 512 processes before the command that armed the bomb has ended.
    // Then its output may also say that a process could not be started.
    const isReported = armed.text.includes("[The command left more than 512 processes.");
    const isOver = async () => (await here.tasks()).every(({ status }) => status !== "running");
    await until(isOver);
    const note = "[This is a new shell, because the one before has ended: " +
      "it had more than 512 processes.]";
    const { text } = await here.run("echo after");
    // The keeper may count the processes at the same moment as the call. Then both report the end.
    const expected = [...isReported ? ["after\n"] : [], `after\n${note}`];
    expect(expected).toContain(text);
    const mark = uniqueSeconds();
    const started = `for n in {1..600}; do sleep ${mark} & done 2>/dev/null; echo all`;
    const many = await here.run(started, { timeout: 600_000 });
    expect(many.text).toContain("all\n[The command left more than 512 processes.");
    expect(await until(() => processesWith(mark).length === 0)).toBe(true);
    expect((await here.run("echo after")).text).toBe("after\n");
  },
});
