/** The shells that OpenAI defines: calls and answers have the types of its package. */
import { expect } from "@std/expect";
import type {
  ResponseFunctionShellToolCall,
  ResponseInputItem,
  ResponseOutputItem,
} from "openai/resources/responses/responses";
import { temporaryDirectory } from "../../../support/executable.ts";
import { answer, fill } from "./message.ts";

const flags = ["--allow-run=bash", "--allow-read=.", "--format=same"];

type ShellOutput = ResponseInputItem.ShellCallOutput;

const shellCall = (
  commands: string[],
  { timeout_ms = null, max_output_length = null, ...rest }:
    & Partial<ResponseFunctionShellToolCall.Action>
    & Partial<ResponseFunctionShellToolCall> = {},
): ResponseFunctionShellToolCall => ({
  type: "shell_call",
  id: "sh_1",
  call_id: "call_1",
  status: "completed",
  environment: { type: "local" },
  action: { commands, timeout_ms, max_output_length },
  ...rest,
});

/** A command of bash that needs no other program, never ends, and takes no processor time. */
const FOREVER = "coproc read; wait";

const exit = (exit_code: number) => ({ type: "exit" as const, exit_code });

Deno.test({
  name: "shell_call > each command has its own stdout, stderr and exit code",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    using directory = temporaryDirectory();
    const call = shellCall([
      "echo out; echo err >&2; exit 3",
      "printf 'no newline'",
      "kill -TERM $$",
      "cd /; x=1",
      'pwd; echo "[$x]"',
    ]);
    const { exit: code, printed } = await answer(call, { flags, cwd: directory.path });
    const root = Deno.realPathSync(directory.path);
    const expected: ShellOutput = {
      type: "shell_call_output",
      call_id: "call_1",
      output: [
        { stdout: "out\n", stderr: "err\n", outcome: exit(3) },
        { stdout: "no newline", stderr: "", outcome: exit(0) },
        { stdout: "", stderr: "", outcome: exit(143) },
        { stdout: "", stderr: "", outcome: exit(0) },
        { stdout: `${root}\n[]\n`, stderr: "", outcome: exit(0) },
      ],
      status: "completed",
    };
    // A failed command is a result like any other.
    expect({ code, printed }).toEqual({ code: 0, printed: expected });
  },
});

Deno.test({
  name: "shell_call > the time limit ends the running command, and the later ones do not run",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    using directory = temporaryDirectory();
    const call = shellCall(
      ["echo first", `echo begun; echo err >&2; ${FOREVER}`, "touch third"],
      { timeout_ms: 3_000 },
    );
    const write = ["--allow-write=.", ...flags];
    const { printed } = await answer(call, { flags: write, cwd: directory.path });
    expect((printed as ShellOutput).output).toEqual([
      { stdout: "first\n", stderr: "", outcome: exit(0) },
      { stdout: "begun\n", stderr: "err\n", outcome: { type: "timeout" } },
      {
        stdout: "",
        stderr: "Not run: the time limit passed before this command",
        outcome: { type: "timeout" },
      },
    ]);
    expect([...Deno.readDirSync(directory.path)]).toEqual([]);
  },
});

Deno.test({
  name: "shell_call > max_output_length limits both streams together, and the answer repeats it",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    using directory = temporaryDirectory();
    const long = "printf 'a%.0s' {1..5000}";
    const call = shellCall([long, `${long} >&2; printf b`, `${long}; ${long} >&2`], {
      max_output_length: 200,
    });
    const { printed } = await answer(call, { flags, cwd: directory.path });
    const { output, max_output_length } = printed as ShellOutput;
    expect(max_output_length).toBe(200);
    for (const { stdout, stderr } of output) {
      expect(stdout.length + stderr.length).toBeLessThanOrEqual(200);
      expect(stdout.length + stderr.length).toBeGreaterThan(140);
      expect(stdout + stderr).toContain("characters omitted]");
    }
    expect(output[0]!.stdout).toMatch(/^a+\n\[48\d\d characters omitted\]\na+$/);
    expect(output[1]!.stdout).toBe("b");
    const none = await answer(shellCall(["echo a"], { max_output_length: 0 }), {
      flags,
      cwd: directory.path,
    });
    expect((none.printed as ShellOutput).output[0]).toEqual({
      ...{ stdout: "", stderr: "", outcome: exit(0) },
    });
  },
});

Deno.test("shell_call > the output names the missing flag", async () => {
  using directory = temporaryDirectory();
  const { exit: code, printed } = await answer(shellCall(["echo a", "echo b"]), {
    flags: ["--format=same"],
    cwd: directory.path,
  });
  const expected: ShellOutput = {
    type: "shell_call_output",
    call_id: "call_1",
    output: [{
      stdout: "",
      stderr: 'Permission denied: running "bash" needs --allow-run=bash',
      outcome: exit(126),
    }],
    status: "completed",
  };
  expect({ code, printed }).toEqual({ code: 6, printed: expected });
});

Deno.test({
  name: "shell_call > the tool filters of Bash apply to shell calls",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    using directory = temporaryDirectory();
    const at = { cwd: directory.path };
    const without = await answer(shellCall(["echo a"]), {
      flags: ["--no-tools=Bash", ...flags],
      ...at,
    });
    expect(without.exit).toBe(4);
    expect(JSON.stringify(without.printed)).toContain("--no-tools names it");
    const only = await answer(shellCall(["echo a"]), { flags: ["--tools=Bash", ...flags], ...at });
    expect(only.exit).toBe(0);
  },
});

Deno.test({
  name: "shell_call > each command runs in the sandbox",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    using outside = temporaryDirectory();
    using directory = temporaryDirectory();
    Deno.writeTextFileSync(`${outside.path}/secret`, "the secret\n");
    const call = shellCall([`cat ${outside.path}/secret`, "echo after"]);
    const { printed } = await answer(call, {
      flags: ["--allow-run=bash,cat", "--allow-read=.", "--format=same"],
      cwd: directory.path,
    });
    const { output } = printed as ShellOutput;
    expect(output[0]).toMatchObject({ stdout: "", outcome: exit(1) });
    expect(output[0]!.stderr).toMatch(/Permission denied|No such file/);
    expect(JSON.stringify(output)).not.toContain("the secret");
    expect(output[1]!.stdout).toBe("after\n");
  },
});

Deno.test({
  name: "shell_call > a call that has an output does not run again, and hosted calls are ignored",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    using directory = temporaryDirectory();
    fill(directory.path);
    const done = shellCall(["touch done"], { call_id: "done" });
    const hosted = shellCall(["touch hosted"], {
      call_id: "hosted",
      environment: { type: "container_reference", container_id: "c" },
    });
    const output: ResponseOutputItem[] = [
      { type: "reasoning", id: "rs_1", summary: [] },
      done,
      {
        type: "shell_call_output",
        id: "sho_1",
        call_id: "done",
        max_output_length: null,
        output: [],
        status: "completed",
      },
      hosted,
      shellCall(["cat a.txt"], { call_id: "open", caller: { type: "program", caller_id: "p" } }),
      {
        type: "function_call",
        call_id: "f",
        name: "fs_read",
        arguments: JSON.stringify({ path: "a.txt" }),
      },
    ];
    const given = { object: "response", output };
    const run = ["--allow-run=bash,cat", "--allow-write=.", "--allow-read=.", "--format=same"];
    const { exit: code, printed } = await answer(given, { flags: run, cwd: directory.path });
    const expected: ResponseInputItem[] = [
      {
        type: "shell_call_output",
        call_id: "open",
        output: [{ stdout: "first\n", stderr: "", outcome: exit(0) }],
        status: "completed",
        caller: { type: "program", caller_id: "p" },
      },
      { type: "function_call_output", call_id: "f", output: "first\n" },
    ];
    expect({ code, printed }).toEqual({ code: 0, printed: expected });
    expect([...Deno.readDirSync(directory.path)].map(({ name }) => name).sort())
      .toEqual(["a.txt", "pixel.png"]);
    const single = await answer(hosted, { flags: run, cwd: directory.path });
    expect(single.exit).toBe(3);
    expect(JSON.stringify(single.printed)).toContain("runs in a container of the vendor");
  },
});

Deno.test("shell_call > an unreadable item is malformed, and the answer says why", async (t) => {
  using directory = temporaryDirectory();
  const cases: [given: unknown, code: number, why: string][] = [
    [{ type: "shell_call", call_id: "c" }, 3, '"action" is missing'],
    [{ type: "shell_call", call_id: "c", action: "ls" }, 3, '"action" is a string'],
    [{ type: "shell_call", call_id: "c", action: { commands: "ls" } }, 0, "a\n"],
    [{ type: "shell_call", call_id: "c", action: { command: ["ls"] } }, 5, '"command"'],
    [shellCall(["ls"], { status: "incomplete" }), 3, "is incomplete"],
    [shellCall([]), 5, "/commands"],
  ];
  Deno.writeTextFileSync(`${directory.path}/a`, "");
  for (const [given, code, why] of cases) {
    await t.step(why, async () => {
      const run = ["--allow-run=bash,ls", "--allow-read=.", "--format=same"];
      const { exit: got, printed } = await answer(given, { flags: run, cwd: directory.path });
      expect(got).toBe(code);
      expect((printed as ShellOutput).type).toBe("shell_call_output");
      const [first] = (printed as ShellOutput).output;
      expect(first!.stdout + first!.stderr).toContain(why);
    });
  }
});

const localCall = (
  action: Partial<ResponseOutputItem.LocalShellCall.Action>,
): ResponseOutputItem.LocalShellCall => ({
  type: "local_shell_call",
  id: "lsh_1",
  call_id: "call_1",
  status: "completed",
  action: { type: "exec", command: ["bash", "-lc", "pwd"], env: {}, ...action },
});

Deno.test({
  name: "local_shell_call > a program runs with its arguments, variables and directory",
  ignore: Deno.build.os === "windows",
  fn: async (t) => {
    using directory = temporaryDirectory();
    const root = Deno.realPathSync(directory.path);
    Deno.mkdirSync(`${root}/inner`);
    const cases: [
      action: Parameters<typeof localCall>[0],
      code: number,
      output: ShellOutput["output"][number],
    ][] = [
      [
        {
          command: ["bash", "-c", 'echo "$1 $GREETING"; pwd; echo err >&2; exit 4', "bash", "a b"],
        },
        0,
        { stdout: `a b \n${root}\n`, stderr: "err\n", outcome: exit(4) },
      ],
      [
        {
          command: ["bash", "-c", "echo $GREETING; pwd"],
          env: { GREETING: "hello" },
          working_directory: "inner",
          timeout_ms: 60_000,
          user: null,
        },
        0,
        { stdout: `hello\n${root}/inner\n`, stderr: "", outcome: exit(0) },
      ],
      [
        { command: ["ls"] },
        6,
        { stdout: "", stderr: "--allow-run=ls", outcome: exit(126) },
      ],
      [
        { command: ["bash", "-c", "pwd"], working_directory: "/" },
        6,
        { stdout: "", stderr: "--allow-read=/", outcome: exit(126) },
      ],
      [
        { command: ["bash", "-c", "pwd"], env: { LD_PRELOAD: "/x.so" } },
        1,
        {
          stdout: "",
          stderr: 'Cannot set "LD_PRELOAD"',
          outcome: exit(1),
        },
      ],
      [
        { command: ["bash", "-c", `echo a; ${FOREVER}`], timeout_ms: 3_000 },
        0,
        { stdout: "a\n", stderr: "", outcome: { type: "timeout" } },
      ],
    ];
    for (const [action, code, wanted] of cases) {
      await t.step(JSON.stringify(action), async () => {
        const { exit: got, printed } = await answer(localCall(action), { flags, cwd: root });
        const { output, ...rest } = printed as ResponseInputItem.LocalShellCallOutput;
        expect(rest).toEqual({
          ...{ type: "local_shell_call_output", id: "call_1", status: "completed" },
        });
        const given = JSON.parse(output);
        const { stderr, ...others } = wanted;
        expect({ code: got, ...given }).toEqual({ code, stderr: given.stderr, ...others });
        // A refusal has more text than the flag.
        expect(given.stderr).toContain(stderr);
      });
    }
  },
});
