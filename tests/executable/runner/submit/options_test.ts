/** Flags and configuration apply to each line of `submit` as to a single call. */
// tier: machine
import { expect } from "@std/expect";
import { temporaryDirectory } from "../../../support/executable.ts";
import { hasTerminals, TerminalSession } from "../../../support/pseudo_terminal.ts";
import { pause, until } from "../../../support/wait.ts";
import { existsFile } from "../../../support/nats_server.ts";
import { bashCall, readCall, submit } from "./submitted.ts";

/** A directory with a file, and a secret file outside of it. */
function scene() {
  const directory = temporaryDirectory();
  const inside = `${directory.path}/inside`;
  Deno.mkdirSync(inside);
  Deno.writeTextFileSync(`${inside}/a.txt`, "alpha\n");
  Deno.writeTextFileSync(`${directory.path}/secret.txt`, "SECRET\n");
  return {
    path: directory.path,
    inside,
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

const codes = (results: Awaited<ReturnType<typeof submit>>["results"]) =>
  results.map(({ _meta }) => _meta?.["toolcall/error"]?.code ?? null);

Deno.test("submit > P1 P2 P6 P11 a path that leads outside of a grant is refused on every line", async () => {
  using here = scene();
  const { path, inside } = here;
  Deno.symlinkSync(`${path}/secret.txt`, `${inside}/link`);
  Deno.symlinkSync(path, `${inside}/directory`);
  Deno.writeTextFileSync(`${path}/inside_too`, "SECRET\n");
  const paths = [
    ...[`${path}/secret.txt`, `${inside}/link`, `${inside}/directory/secret.txt`],
    ...[`${inside}/../secret.txt`, `${path}/inside_too`, `/proc/self/root${path}/secret.txt`],
    ...["/proc/self/environ", "/proc/1/environ", "/dev/stdin"],
  ];
  const tries = paths.flatMap((each) => [
    readCall(each),
    { name: "Write", arguments: { file_path: each, content: "x" } },
  ]);
  // Good lines between them keep the threads in use that answer good lines.
  const lines = tries.flatMap((each) => [readCall(`${inside}/a.txt`), each]);
  const flags = [`--allow-read=${inside}`, `--allow-write=${inside}`, "--ordered"];
  const { code, stdout, results } = await submit(lines, { flags });
  expect(code).toBe(1);
  expect(stdout).not.toContain("SECRET");
  const refused = codes(results).map((each) => each === null ? null : true);
  expect(refused).toEqual(tries.flatMap(() => [null, true]));
  expect(Deno.readTextFileSync(`${path}/secret.txt`)).toBe("SECRET\n");
});

Deno.test("submit > P5 a symlink that replaces a file while lines run is not followed", async () => {
  using here = scene();
  const { path, inside } = here;
  const swap =
    `for i in $(seq 300); do ln -sfn ${path}/secret.txt ${inside}/b.txt; rm ${inside}/b.txt; ` +
    `echo beta > ${inside}/b.txt; done`;
  await using swapping = new Deno.Command("sh", { args: ["-c", swap] }).spawn();
  const lines = Array.from({ length: 3_000 }, () => readCall(`${inside}/b.txt`));
  const { stdout, results } = await submit(lines, { flags: [`--allow-read=${inside}`] });
  await swapping.status;
  expect(results).toHaveLength(lines.length);
  expect(stdout).not.toContain("SECRET");
});

Deno.test("submit > C5 a program reads nothing outside of the grant, and nothing is allowed without flags", async () => {
  using here = scene();
  const lines = [bashCall(`cat ${here.path}/secret.txt`), bashCall(`cat ${here.inside}/a.txt`)];
  const flags = [`--allow-read=${here.inside}`, "--allow-run=bash,cat", "--ordered"];
  const { stdout, results } = await submit(lines, { flags });
  expect(stdout).not.toContain("SECRET");
  expect(codes(results)).toEqual(["tool_failed", null]);
  const none = await submit([...lines, readCall(`${here.inside}/a.txt`)], { flags: [] });
  expect(codes(none.results)).toEqual(Array(3).fill("permission_denied"));
});

Deno.test("submit > each failure has its own code, and the exit code is 1", async () => {
  using here = scene();
  const lines = [
    readCall(`${here.inside}/a.txt`),
    readCall(`${here.inside}/missing.txt`),
    { name: "Raed", arguments: {} },
    { name: "Read", arguments: { file: 1 } },
    { name: "Read", arguments: { file_path: `${here.inside}/a.txt`, limit: "1" } },
  ];
  const { code, results } = await submit(lines, { flags: ["-A", "--ordered"] });
  expect(code).toBe(1);
  expect(codes(results)).toEqual([
    null,
    "tool_failed",
    "tool_not_found",
    "invalid_arguments",
    null,
  ]);
  expect(results[4]!._meta).toMatchObject({ "toolcall/repaired": [{ path: "/limit" }] });
  const strict = await submit(lines.slice(4), { flags: ["-A", "--strict"] });
  expect(codes(strict.results)).toEqual(["invalid_arguments"]);
  expect((await submit(lines.slice(0, 1))).code).toBe(0);
});

Deno.test("submit > --repair-json and --structured apply to each line", async () => {
  using here = scene();
  const bad = `{'name': 'Read', 'arguments': {'file_path': '${here.inside}/a.txt',},}`;
  expect((await submit([bad])).code).toBe(1);
  const { results } = await submit([bad], { flags: ["-A", "--repair-json", "--structured"] });
  expect(results[0]!._meta).toMatchObject({ "toolcall/repaired": [{ rule: "json_syntax" }] });
  expect(results[0]!.structuredContent).toMatchObject({ type: "text" });
});

Deno.test("submit > the configuration disables tools and limits their rate, and the log has a line for each call", async () => {
  using here = scene();
  Deno.writeTextFileSync(
    `${here.inside}/toolcall.json`,
    JSON.stringify({
      tools: { disabled: ["Grep"] },
      policy: { "fs.read": { rateLimit: { calls: 2, windowMs: 3_600_000 } } },
    }),
  );
  const read = { name: "fs.read", arguments: { path: "a.txt" } };
  const lines = [read, read, read, { name: "Grep", arguments: { pattern: "a" } }, "{"];
  const flags = ["-A", "--ordered", `--audit=${here.path}/log`, `--state-dir=${here.path}/state`];
  const { results } = await submit(lines, { cwd: here.inside, flags });
  expect(codes(results))
    .toEqual([null, null, "unavailable", "tool_not_found", "malformed_call"]);
  const log = Deno.readTextFileSync(`${here.path}/log`).trimEnd().split("\n")
    .map((line) => JSON.parse(line).code);
  expect(log.sort()).toEqual([...codes(results)].sort());
});

Deno.test("submit > a question to the user is refused", async () => {
  const question = {
    name: "AskUserQuestion",
    arguments: {
      questions: [{
        question: "Which colour?",
        header: "Colour",
        multiSelect: false,
        options: [{ label: "Red", description: "a" }, { label: "Blue", description: "b" }],
      }],
    },
  };
  const { results } = await submit([question]);
  expect(codes(results)).toEqual(["unavailable"]);
  expect(results[0]!.content[0]!.text).toContain("--ask=exec:PROGRAM");
});

Deno.test({
  name: "submit > a bar on a terminal shows the progress, and is cleared at the end",
  ignore: !hasTerminals,
  async fn() {
    using directory = temporaryDirectory();
    /** A call that marks its start, and ends when a file is there. */
    const begin = (name: string) => {
      const [started, go] = ["started", "go"].map((each) => `${directory.path}/${name}-${each}`);
      const command = `touch ${started}; until [ -e ${go} ]; do sleep 0.02; done`;
      return {
        call: { name: "Bash", args: { command } },
        untilStarted: () => until(() => existsFile(started!)),
        go: () => Deno.writeTextFileSync(go!, ""),
      };
    };
    for (const NO_COLOR of ["", "1"]) {
      const { call, go } = begin(`color${NO_COLOR}`);
      await using session = new TerminalSession({
        ...call,
        flags: ["submit", "-A"],
        env: { NO_COLOR },
      });
      await session.sees("[----------]    0%  0 done  1 running  0/s");
      go();
      const { exit } = await session.end();
      expect(exit).toBe(0);
      expect(session.text().trim()).toMatch(/^Tool +Calls .*\n *Bash +1 +0 /);
      expect(session.written).toMatch(/^[\x20-\x7e\r\n]*$/);
    }
    const small = begin("small");
    await using narrow = new TerminalSession({
      ...small.call,
      flags: ["submit", "-A"],
      size: { columns: 30, rows: 5 },
    });
    await narrow.sees("[----------]    0%");
    expect(narrow.lines()).toHaveLength(1);
    small.go();
    await narrow.end();
    expect(narrow.text().trim()).toMatch(/^Bash\b/);
    const { call, untilStarted, go } = begin("quiet");
    await using quiet = new TerminalSession({ ...call, flags: ["submit", "-A", "--quiet"] });
    expect(await untilStarted()).toBe(true);
    await pause(1_000, "A bar would be drawn within this time");
    go();
    await quiet.end();
    expect(quiet.written).toBe("");
  },
});
