/** The shell of a session: commands of different processes run in one bash, in its sandbox. */
import { expect } from "@std/expect";
import { call, toolcall } from "../../support/executable.ts";
import { processesWith, until } from "../../support/processes.ts";
import { has } from "../../support/programs.ts";
import { sessionDesk as desk } from "../../support/session_desk.ts";

const ignore = Deno.build.os !== "linux" || !has("bash");
const isFull = Deno.env.get("FULL_TESTS") === "1";

Deno.test({
  name: "session shell > its state stays between processes, and other flags reach another shell",
  ignore,
  async fn() {
    await using here = desk();
    const first = await here.run("mkdir a; cd a; x=1; f() { echo f$x; }; sleep 1000 & echo hi");
    expect(first).toMatchObject({ isError: false, _meta: { "toolcall/shell": { state: "new" } } });
    expect(first.text).toContain("hi\n");
    const second = await here.run("pwd; f; jobs; ls $TMPDIR; exec 3>$TMPDIR/t; echo >&3");
    expect(second.text).toMatch(/^\S+\/work\/a\nf1\n\[1\]\+ +Running +sleep 1000 &\n$/);
    expect(second._meta).toEqual({ "toolcall/shell": { session: "main", state: "kept" } });
    // The order of the values of a flag does not matter, and their number does.
    const [run, read, write] = here.flags;
    expect((await here.run("f; ls $TMPDIR", {}, [write!, read!, run!])).text).toBe("f1\nt\n");
    const others: [args: Record<string, unknown>, flags: string[]][] = [
      [{ session: "other" }, here.flags],
      [{}, [run!, read!]],
      [{}, ["-A"]],
      [{}, [...here.flags, "--session=other"]],
      [{}, [...here.flags, "--limit=files=100"]],
      [{}, [...here.flags, "--unconfined-run"]],
      [{}, [...here.flags, "--root=/"]],
    ];
    for (const [args, flags] of others) {
      const { text } = await here.run("type -t f; echo ${x-none}", args, flags);
      expect({ args, flags, text }).toEqual({ args, flags, text: "none\n" });
    }
    expect((await here.tasks()).filter(({ status }) => status === "running"))
      .toHaveLength(1 + others.length);
  },
});

Deno.test({
  name: "session shell > restart, exit and tasks stop end it, and the next call says so if needed",
  ignore,
  async fn() {
    await using here = desk();
    await here.run("x=1; sleep 1234.5 &");
    expect((await here.restart()).text).toBe("The shell was restarted");
    expect(await until(() => processesWith("sleep 1234.5").length === 0)).toBe(true);
    expect((await here.run("echo ${x-none}")).text).toBe("none\n");
    const ended = await here.run("echo bye; exit 3");
    expect(ended.text).toMatch(/^bye\nexit\nExit code 3\n\[The shell has ended with this command/);
    expect(ended._meta!["toolcall/error"]).toMatchObject({
      exitCode: 3,
      shell: { state: "ended" },
    });
    expect((await here.run("echo new; x=2")).text).toBe("new\n");
    const task = (await here.tasks()).find(({ status }) => status === "running")!;
    expect(task.title).toBe("shell of the session main");
    await toolcall(["tasks", "stop", task.id, ...here.state]);
    expect((await here.run("echo ${x-none}")).text).toBe(
      "none\n[This is a new shell, because the one before has ended: it was stopped.]",
    );
    const status = (await here.tasks()).find(({ id }) => id === task.id)!.status;
    expect(status).toBe("stopped");
    // A keeper that is killed has not recorded the end.
    Deno.kill((await here.tasks()).find(({ status }) => status === "running")!.pid, "SIGKILL");
    expect((await here.run("echo x")).text).toContain("its process ended unexpectedly");
    expect((await here.run("echo $x", { restart: true })).text).toBe("\n");
  },
});

Deno.test({
  name:
    "session shell > a command that hangs is ended, and the result says whether the shell stays",
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
  name: "session shell > calls at once run one after the other",
  ignore,
  async fn() {
    await using here = desk();
    const all = await Promise.all(
      Array.from(
        { length: 5 },
        (_, at) => here.run(`echo begin ${at}; n=$((n+1)); sleep 0.1; echo end ${at}`),
      ),
    );
    for (const [at, { text }] of all.entries()) expect(text).toBe(`begin ${at}\nend ${at}\n`);
    expect((await here.run("echo $n")).text).toBe("5\n");
  },
});

Deno.test({
  name: "session shell > many sessions at once each have their own shell",
  ignore,
  async fn() {
    await using here = desk();
    const count = isFull ? 50 : 8;
    const names = Array.from({ length: count }, (_, at) => `s${at}`);
    const each = (command: (at: number) => string) =>
      Promise.all(
        names.map(async (session, at) =>
          (await here.run(command(at), { session, timeout: 600_000 })).text
        ),
      );
    expect(await each((at) => `x=${at}; echo $x`)).toEqual(names.map((_, at) => `${at}\n`));
    expect(await each(() => "echo $x")).toEqual(names.map((_, at) => `${at}\n`));
  },
});

Deno.test({
  name: "session shell > long output is shortened, and the whole of it is in a file",
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
    // The bomb stops by itself in the end, should nobody stop it.
    const bomb = "bomb() { [ $1 -gt 12 ] || { bomb $(($1+1)) | bomb $(($1+1)) & wait; }; }; ";
    const armed = await here.run(`${bomb} bomb 0 & disown; echo armed`);
    // A fast machine has more than 512 processes before the command that armed the bomb has ended.
    const isTold = armed.text.startsWith("armed\n[The command left more than 512 processes.");
    const isOver = async () => (await here.tasks()).every(({ status }) => status !== "running");
    for (let tries = 0; tries < 120 && !await isOver(); tries++) {
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect((await here.run("echo after")).text).toBe(
      isTold
        ? "after\n"
        : "after\n[This is a new shell, because the one before has ended: it had more than 512 processes.]",
    );
    const many = await here.run("for n in {1..600}; do sleep 4321 & done 2>/dev/null; echo all", {
      timeout: 600_000,
    });
    expect(many.text).toContain("all\n[The command left more than 512 processes.");
    expect(await until(() => processesWith("sleep 4321").length === 0)).toBe(true);
    expect((await here.run("echo after")).text).toBe("after\n");
  },
});

Deno.test({
  name: "session shell > the sandbox holds in it, and its keeper is out of reach",
  ignore,
  async fn() {
    await using here = desk();
    await here.run("sleep 1000 &");
    const state = here.state[0]!.split("=")[1]!;
    Deno.writeTextFileSync(`${state}/../secret`, "secret");
    const tries = [
      `cat ${state}/../secret`,
      `ls ${state}/servers`,
      `cat ${state}/state.db`,
      `echo x > ${state}/../new`,
      "kill -9 $PPID",
      "kill -9 -1",
      "exec 3<>/dev/tcp/127.0.0.1/80",
    ];
    for (const command of tries) {
      const { text } = await here.run(`${command}; echo "status $?"`);
      expect(text, command).toMatch(/status [1-9]/);
    }
    const read = await call("Read", { file_path: `${state}/servers` }, {
      flags: [`--allow-read=${state}`, ...here.state],
    });
    expect(read.isError).toBe(true);
  },
});

Deno.test({
  name: "session shell > servers and submit use it too",
  ignore,
  async fn() {
    await using here = desk();
    await here.run("x=1");
    const flags = [...here.flags, ...here.state];
    const args = { command: "echo $x; x=$((x+1))", session: "main" };
    const lines = [1, 2].map((id) =>
      JSON.stringify({ id, call: { name: "Bash", arguments: args } })
    );
    const submitted = await toolcall([...flags, "submit", "--jobs=1"], {
      ...{ stdin: `${lines.join("\n")}\n`, cwd: here.work },
    });
    expect(submitted.stdout).toContain('"text":"1\\n"');
    expect(submitted.stdout).toContain('"text":"2\\n"');
    expect((await here.run("echo $x")).text).toBe("3\n");
  },
});

Deno.test({
  name: "session shell > arguments that do not fit together are invalid",
  ignore,
  async fn() {
    await using here = desk();
    const cases: [args: Record<string, unknown>, said: string][] = [
      [{ restart: true }, "/restart: needs session"],
      [{ command: "true", session: "a", run_in_background: true }, "/run_in_background: cannot"],
      [{ command: "a\0b", session: "a" }, "/command: contains a NUL"],
      [{ command: "x".repeat(1_000_001), session: "a" }, "/command: has over"],
      [{ command: "true", session: "" }, "session"],
    ];
    for (const [args, said] of cases) {
      const { text, _meta } = await call("Bash", args, { flags: ["-A", ...here.state] });
      expect(text).toContain(said);
      expect(_meta!["toolcall/error"].code).toBe("invalid_arguments");
    }
    const walled = await here.run("true", {}, ["--allow-run", "--wall=bwrap"]);
    expect(walled.isError).toBe(true);
  },
});
