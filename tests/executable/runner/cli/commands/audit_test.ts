/** `toolcall audit`: the output for a user and for a program. */
import { expect } from "@std/expect";
import { executable, temporaryDirectory, toolcall } from "../../../../support/executable.ts";
import { onTerminal } from "../../../../support/on_terminal.ts";
import { hasTerminals } from "../../../../support/pseudo_terminal.ts";
import { until } from "../../../../support/wait.ts";

const record = (tool: string, more: Record<string, unknown> = {}) =>
  JSON.stringify({
    time: "2026-01-02T03:04:05.678Z",
    ...{ tool, arguments: {}, needs: [{ name: "read", path: "/a", granted: true }] },
    ...{ plan: null, sandbox: {}, refusedBy: null, code: null },
    ...{ exit: 0, durationMs: 12, session: "s", pid: 1 },
    ...{ cwd: "/", ...more },
  });

const denied = record("Bash", {
  code: "permission_denied",
  refusedBy: "flags",
  needs: [{ name: "run", program: "ls", granted: false, flag: "--allow-run=ls" }],
});

Deno.test("audit > a pipe gets the lines of the log, and filters select lines", async () => {
  using directory = temporaryDirectory();
  const log = `${directory.path}/log`;
  const lines = [record("Read"), denied, record("Grep", { asked: "search" })];
  Deno.writeTextFileSync(log, [lines[0], "{broken", "", lines[1], '{"a":1}', lines[2]].join("\n"));
  const stderr = "toolcall: 2 lines are not the record of a call; ignored\n";
  const rows: [flags: string[], lines: (string | undefined)[]][] = [
    [[], lines],
    [["--denied"], [lines[1]]],
    [["--tool=Grep"], [lines[2]]],
    [["--tool=search"], [lines[2]]],
    [["--tool=Nope"], []],
  ];
  for (const [flags, found] of rows) {
    const stdout = found.map((line) => `${line}\n`).join("");
    expect(await toolcall(["audit", log, ...flags])).toEqual({ code: 0, stdout, stderr });
  }
  const text = await toolcall(["audit", log, "--format=text"]);
  expect(text.stdout.split("\n")[2]).toBe(
    "2026-01-02 03:04:05Z  Bash  permission_denied (flags)  12  run ls (denied)",
  );
});

Deno.test({
  name: "audit > a terminal gets a table within its width",
  ignore: !hasTerminals,
  async fn() {
    using directory = temporaryDirectory();
    const log = `${directory.path}/log`;
    Deno.writeTextFileSync(log, `${record("Read")}\n${denied}\n`);
    for (const columns of [60, 80, 120]) {
      const { code, lines, broken } = await onTerminal(["audit", log], { columns });
      expect([code, broken]).toEqual([0, []]);
      expect(lines.join("\n")).toContain("permission_denied (flags)");
    }
  },
});

Deno.test("audit > an unreadable log and a missing operand are reported", async () => {
  using directory = temporaryDirectory();
  const missing = await toolcall(["audit", `${directory.path}/none`]);
  expect(missing).toMatchObject({ code: 1, stdout: "" });
  expect(missing.stderr).toContain("Cannot read the log");
  expect((await toolcall(["audit", directory.path])).stderr).toContain("not a regular file");
  expect((await toolcall(["audit"])).code).toBe(2);
});

Deno.test("audit > -f prints added lines, also after the log is renamed", async () => {
  using directory = temporaryDirectory();
  const log = `${directory.path}/log`;
  Deno.writeTextFileSync(log, `${record("A")}\n`);
  const child = new Deno.Command(executable, {
    args: ["audit", log, "-f"],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let seen = "";
  const reading = (async () => {
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) seen += chunk;
  })();
  const sees = async (tool: string) =>
    expect(await until(() => seen.includes(`"tool":"${tool}"`))).toBe(true);
  await sees("A");
  Deno.writeTextFileSync(log, `${record("B")}\n`, { append: true });
  await sees("B");
  Deno.renameSync(log, `${log}.1`);
  Deno.writeTextFileSync(log, `${record("C")}\n`);
  await sees("C");
  // A call that began before the renaming writes into the older file.
  Deno.writeTextFileSync(`${log}.1`, `${record("D")}\n`, { append: true });
  await sees("D");
  child.kill("SIGTERM");
  expect((await child.status).code).toBe(0);
  await reading;
  await child.stderr.cancel();
  expect(seen.trimEnd().split("\n").length).toBe(4);
});

Deno.test("audit > --audit-max-size renames a log, keeps five older ones and loses no line", async () => {
  using directory = temporaryDirectory();
  const log = `${directory.path}/log`;
  const flags = [`--audit=${log}`, "--audit-max-size=1K"];
  const call = () => toolcall([...flags, "-A", "fs.list", '{"path":"/none"}']);
  const names = () => [...Deno.readDirSync(directory.path)].map(({ name }) => name).sort();
  const count = () =>
    names().reduce(
      (sum, name) =>
        sum + Deno.readTextFileSync(`${directory.path}/${name}`).trimEnd().split("\n").length,
      0,
    );
  for (let at = 0; at < 3; at++) await Promise.all([call(), call(), call(), call()]);
  expect(names().length).toBeGreaterThan(1);
  expect(count()).toBe(12);
  for (const name of names()) {
    Deno.writeTextFileSync(`${directory.path}/${name}`, `${"x".repeat(2000)}\n`);
  }
  for (let at = 0; at < 7; at++) {
    await call();
    Deno.writeTextFileSync(log, `${"x".repeat(2000)}\n`, { append: true });
  }
  expect(names()).toEqual(["log", "log.1", "log.2", "log.3", "log.4", "log.5"]);
});

Deno.test("audit > no call reads an older log, and a wrong size is a wrong command line", async () => {
  using directory = temporaryDirectory();
  const log = `${directory.path}/log`;
  Deno.writeTextFileSync(`${log}.1`, "older secret\n");
  const flags = [`--audit=${log}`, "--allow-run", `--allow-read=${directory.path}`];
  const read = await toolcall([...flags, "Read", `{"file_path":"${log}.1"}`]);
  expect(read.code).toBe(6);
  const cat = await toolcall([...flags, "Bash", `{"command":"cat '${log}.1'"}`]);
  expect(cat.stdout).not.toContain("older secret");
  expect(cat.code).toBe(1);
  for (const wrong of [["--audit-max-size=1K"], [`--audit=${log}`, "--audit-max-size=12"]]) {
    expect((await toolcall([...wrong, "-A", "fs.list", "{}"])).code).toBe(2);
  }
});
