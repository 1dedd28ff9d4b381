/** Questions that a program of the caller answers, or nobody. */
import { expect } from "@std/expect";
import {
  call,
  executable,
  oneLine,
  temporaryDirectory,
  toolcall,
} from "../../../support/executable.ts";
import { isAlive } from "../../../support/processes.ts";
import { until } from "../../../support/wait.ts";
import { args, program, question } from "./asking_program.ts";

/** A shell command that prints the answer to the question. */
function answering(answer: unknown): string {
  const text = JSON.stringify({ answers: { [question.question]: answer } });
  return `cat <<'END'\n${text}\nEND`;
}

Deno.test("--ask=exec > a program gets the questions and gives the answers, with and without a sandbox", async (t) => {
  for (const flags of [["-A"], [], ["--allow-read=/usr"], ["-A", "--deny-read=/usr"]]) {
    await t.step(flags.join(" "), async () => {
      using directory = temporaryDirectory();
      const path = program(
        directory.path,
        `cat > "$0.questions"; printenv > "$0.env"; ${answering("There, 天")}`,
      );
      const result = await call("AskUserQuestion", args, {
        flags: [...flags, `--ask=exec:${path}`],
        env: { ASK_ME: "my own", DENO_DIR: "/nowhere" },
      });
      expect(result.text).toBe(
        `Question: ${question.question}\nAnswer (as free text): There, 天`,
      );
      expect(result.exit).toBe(0);
      const text = Deno.readTextFileSync(`${path}.questions`);
      expect(JSON.parse(text)).toEqual({ questions: [{ ...question, multiSelect: false }] });
      expect(text).toContain("天");
      // The program belongs to the caller, so it gets the caller's own environment.
      const env = Deno.readTextFileSync(`${path}.env`).split("\n");
      expect(env).toContain("ASK_ME=my own");
      expect(env).toContain("DENO_DIR=/nowhere");
      expect(env.filter((line) => line.startsWith("TOOLCALL_"))).toEqual([]);
    });
  }
});

Deno.test("--ask=exec > the program is an absolute path, a path from the working directory, or a name in PATH", async () => {
  using directory = temporaryDirectory();
  const path = program(directory.path, answering("Here"));
  const PATH = `${directory.path}:${Deno.env.get("PATH")}`;
  for (const name of [path, "./ask", "ask"]) {
    const result = await call("AskUserQuestion", args, {
      flags: [`--ask=exec:${name}`],
      cwd: directory.path,
      env: { PATH },
    });
    expect(result.text).toContain("Answer: Here");
  }
});

Deno.test("--ask=exec > the error for a program without a valid answer names the fault", async (t) => {
  const programs: [name: string, script: string, says: string[]][] = [
    ["a failure", "echo closed the window >&2; exit 3", ["exit code 3", "closed the window"]],
    [
      "a failure with much on stderr",
      "yes x | head -c 3000000 >&2; echo; echo the end >&2; exit 1",
      ["exit code 1", "the end"],
    ],
    ["an end by a signal", "kill -9 $$", ["exit code 137"]],
    ["a failure that printed an answer", `${answering("Here")}\nexit 1`, ["exit code 1"]],
    ["a missing interpreter", "", ["exit code"]],
    ["no output", "exit 0", ["printed nothing", '{"answers":{question: answer}}']],
    ["a string that is not JSON", "echo There", [
      'printed "There"',
      '{"answers":{question: answer}}',
    ]],
    ["control characters", "printf '\\033[2J'", ["\\u001b[2J"]],
    ["JSON of another form", "echo '[]'", ["expected"]],
    ["null", "echo null", ["expected"]],
    ["answers that are null", `echo '{"answers":null}'`, ["expected"]],
    ["no answer to the question", `echo '{"answers":{}}'`, ["has no answer"]],
    ["an answer that is not a string", answering(2), ["an answer that is not text"]],
    ["an empty answer", answering(" "), ["an answer that is not text"]],
    [
      "an answer to another question",
      `echo '{"answers":{"Why?":"Because"}}'`,
      ['"Why?", and that question was not asked'],
    ],
    ["endless output", "exec yes", ["more than 1 MiB"]],
    ["endless output of a program that ignores SIGTERM", "trap '' TERM; yes", ["more than 1 MiB"]],
  ];
  for (const [name, script, says] of programs) {
    await t.step(name, async () => {
      using directory = temporaryDirectory();
      const path = program(directory.path, script);
      if (script === "") Deno.writeTextFileSync(path, `#!${directory.path}/missing\n`);
      const result = await call("AskUserQuestion", args, { flags: [`--ask=exec:${path}`] });
      expect(result.exit).toBe(1);
      for (const part of [path, ...says]) expect(result.text).toContain(part);
      expect(result.text.length).toBeLessThan(1_500);
    });
  }
});

Deno.test("--ask=exec > a program may leave its questions unread, and its stdout open in a background process", async (t) => {
  using directory = temporaryDirectory();
  await t.step("questions that do not fit a pipe", async () => {
    const path = program(directory.path, answering("Here"));
    const long = { ...question, options: question.options.map((option) => ({ ...option })) };
    long.options[0]!.description = "x".repeat(300_000);
    const flags = [`--ask=exec:${path}`];
    const result = await call("AskUserQuestion", { questions: [long] }, { flags });
    expect(result.text).toContain("Answer: Here");
  });
  await t.step("a background process that keeps stdout open", async () => {
    const path = program(directory.path, `sleep 600 & echo $! > "$0.pid"; ${answering("Here")}`);
    const result = await call("AskUserQuestion", args, { flags: [`--ask=exec:${path}`] });
    expect(result.text).toContain("Answer: Here");
    Deno.kill(Number(Deno.readTextFileSync(`${path}.pid`)), "SIGKILL");
  });
});

Deno.test("--ask=exec > a program that waits ends with the call, however the call ends", async (t) => {
  const scripts: [name: string, script: string][] = [
    ["a shell", `echo $$ > "$0.pid"; sleep 600`],
    ["a shell that ignores SIGTERM", `trap '' TERM; echo $$ > "$0.pid"; sleep 600; sleep 600`],
  ];
  for (const [name, script] of scripts) {
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      for (const flags of [["-A"], []]) {
        await t.step(`${name}, ${signal} ${flags}`, async () => {
          using directory = temporaryDirectory();
          const path = program(directory.path, script);
          const child = new Deno.Command(executable, {
            args: [...flags, `--ask=exec:${path}`, "AskUserQuestion", JSON.stringify(args)],
            stdin: "null",
            stdout: "piped",
            stderr: "piped",
          }).spawn();
          const pid = () => Number(Deno.readTextFileSync(`${path}.pid`));
          const isStarted = await until(() => {
            try {
              return pid() > 0;
            } catch {
              return false;
            }
          });
          expect(isStarted && isAlive(pid())).toBe(true);
          child.kill(signal);
          const { code, stdout } = await child.output();
          if (signal === "SIGTERM") {
            expect(code).toBe(7);
            expect(new TextDecoder().decode(stdout)).toContain('"code":"cancelled"');
          }
          expect(await until(() => !isAlive(pid()))).toBe(true);
        });
      }
    }
  }
});

Deno.test("--ask=exec > no program is started when there is nothing to ask", async () => {
  using directory = temporaryDirectory();
  const path = program(directory.path, `touch "$0.started"; ${answering("Here")}`);
  const flags = [`--ask=exec:${path}`];
  const given = { ...args, answers: { [question.question]: "There" } };
  const result = await call("AskUserQuestion", given, { flags });
  expect(result.text).toContain("Answer (given with the call): There");
  const wrong = await call("AskUserQuestion", { questions: [] }, { flags });
  expect(wrong.exit).toBe(5);
  expect([...Deno.readDirSync(directory.path)].map(({ name }) => name)).toEqual(["ask"]);
});

Deno.test("--ask=exec > a wrong value is reported before anything runs", async (t) => {
  using directory = temporaryDirectory();
  program(directory.path, "exit 0");
  Deno.writeTextFileSync(`${directory.path}/text`, "no program");
  Deno.mkdirSync(`${directory.path}/links`);
  Deno.symlinkSync(`${directory.path}/ask`, `${directory.path}/links/ask`);
  const lines: [flags: string[], says: string][] = [
    [["--ask"], "--ask needs a value: --ask=exec:PROGRAM"],
    [["--ask=window"], "Invalid --ask=window; expected exec:PROGRAM or terminal"],
    [["--ask=exec:"], "expected exec:PROGRAM"],
    [["--ask=exec:no-such-program-here"], "not in PATH"],
    [["--ask=exec:./nothing"], "does not exist or cannot be executed"],
    [["--ask=exec:./text"], "does not exist or cannot be executed"],
    [["--ask=exec:."], "not in PATH"],
    [["--ask=exec:./ask", "--allow-write=."], "calls may write to it"],
    [["--ask=exec:./ask", "--allow-write=./ask"], "calls may write to it"],
    [["--ask=exec:./links/ask", "--allow-write=links"], "calls may write to it"],
  ];
  for (const [flags, says] of lines) {
    await t.step(flags.join(" "), async () => {
      const run = await toolcall([...flags, "AskUserQuestion", JSON.stringify(args)].sort(byDash), {
        cwd: directory.path,
      });
      expect(run).toMatchObject({ code: 2, stdout: "" });
      expect(run.stderr).toContain(says);
    });
  }
  await t.step("list", async () => {
    expect((await toolcall(["list", "--ask=exec:./ask"], { cwd: directory.path })).code).toBe(2);
  });
});

/** Sorts flags last, so that no operand follows a flag without a value. */
function byDash(one: string, other: string): number {
  return Number(one.startsWith("--")) - Number(other.startsWith("--"));
}

Deno.test("AskUserQuestion > a call fails when no user can be asked, and names --ask", async () => {
  for (const flags of [["-A"], []]) {
    const run = await toolcall([...flags, "AskUserQuestion", JSON.stringify(args)]);
    // A call that waits for an answer ends with another code, by its time limit.
    expect(run.code).toBe(8);
    const { content } = oneLine(run) as { content: { text: string }[] };
    expect(content[0]!.text).toContain("--ask=exec:PROGRAM");
  }
});
