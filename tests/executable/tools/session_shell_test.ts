/** The shell of a session: commands of different processes run in one bash, in its sandbox. */
import { expect } from "@std/expect";
import { call, toolcall } from "../../support/executable.ts";
import { processesWith, uniqueSeconds } from "../../support/processes.ts";
import { sessionDesk as desk } from "../../support/session_desk.ts";
import { until } from "../../support/wait.ts";
import { ignore } from "./session_calls.ts";

const isFull = Deno.env.get("FULL_TESTS") === "1";

Deno.test({
  name: "session shell > its state is kept between processes, and other flags use another shell",
  ignore,
  async fn() {
    await using here = desk();
    const first = await here.run("mkdir a; cd a; x=1; f() { echo f$x; }; sleep 1000 & echo hi");
    expect(first).toMatchObject({ isError: false, _meta: { "toolcall/shell": { state: "new" } } });
    expect(first.text).toContain("hi\n");
    const second = await here.run("pwd; f; jobs; ls $TMPDIR; exec 3>$TMPDIR/t; echo >&3");
    expect(second.text).toMatch(/^\S+\/work\/a\nf1\n\[1\]\+ +Running +sleep 1000 &\n$/);
    expect(second._meta).toEqual({ "toolcall/shell": { session: "main", state: "kept" } });
    // The order of the flags does not matter, their number does.
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
  name: "session shell > restart, exit and tasks stop end it, and the next call says so",
  ignore,
  async fn() {
    await using here = desk();
    const mark = uniqueSeconds();
    await here.run(`x=1; sleep ${mark} &`);
    expect((await here.restart()).text).toBe("The shell was restarted");
    expect(await until(() => processesWith(mark).length === 0)).toBe(true);
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
    // A keeper that is killed does not record the end of the shell.
    Deno.kill((await here.tasks()).find(({ status }) => status === "running")!.pid, "SIGKILL");
    expect((await here.run("echo x")).text).toContain("its process ended unexpectedly");
    expect((await here.run("echo $x", { restart: true })).text).toBe("\n");
  },
});

Deno.test({
  name: "session shell > simultaneous calls run one after the other",
  ignore,
  async fn() {
    await using here = desk();
    // The command that runs first waits until all calls have been started.
    const waits = "until [ -e go ]; do sleep 0.02; done";
    const calls = Promise.all(
      Array.from(
        { length: 5 },
        (_, at) => here.run(`: >begun; echo begin ${at}; n=$((n+1)); ${waits}; echo end ${at}`),
      ),
    );
    const hasBegun = () => [...Deno.readDirSync(here.work)].some(({ name }) => name === "begun");
    expect(await until(() => hasBegun() && processesWith(here.state[0]!).length >= 5)).toBe(true);
    Deno.writeTextFileSync(`${here.work}/go`, "");
    for (const [at, { text }] of (await calls).entries()) {
      expect(text).toBe(`begin ${at}\nend ${at}\n`);
    }
    expect((await here.run("echo $n")).text).toBe("5\n");
  },
});

Deno.test({
  name: "session shell > each of many sessions has its own shell",
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
  name: "session shell > a command cannot leave the sandbox, and cannot reach the shell's keeper",
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
  name: "session shell > submit uses the same shell",
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
  name: "session shell > arguments that contradict each other are invalid",
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
    const sandboxed = await here.run("true", {}, ["--allow-run", "--wall=bwrap"]);
    expect(sandboxed.isError).toBe(true);
  },
});
