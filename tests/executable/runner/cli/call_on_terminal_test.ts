/** A call whose result a user reads on a terminal. */
import { expect } from "@std/expect";
import { atTerminal } from "../../../support/at_terminal.ts";
import { executable, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { withoutColors } from "../../../support/on_terminal.ts";
import { hasTerminals } from "../../../support/pseudo_terminal.ts";
import { png } from "../../../support/images.ts";
import { trustFile } from "../../../support/trust.ts";

const ignore = !hasTerminals;

/** A directory with a few files. */
function desk() {
  const directory = temporaryDirectory();
  const cwd = Deno.realPathSync(directory.path);
  Deno.writeTextFileSync(`${cwd}/a.txt`, "one\ntwo\n");
  return { cwd, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

Deno.test({
  name: "a call at a terminal > the result is text on the terminal, and JSON in a pipe",
  ignore,
  async fn() {
    using here = desk();
    const seen = await atTerminal(["-R=.", "fs.read", '{"path":"a.txt"}'], here);
    expect(seen).toMatchObject({ code: 0, lines: ["one", "two"] });
    const piped = await toolcall(["-R=.", "fs.read", '{"path":"a.txt"}'], here);
    expect(JSON.parse(piped.stdout)).toEqual({
      ...{ content: [{ type: "text", text: "one\ntwo\n" }], isError: false },
    });
    // The results of several calls are numbered and named.
    Deno.writeTextFileSync(
      `${here.cwd}/message.json`,
      JSON.stringify({
        role: "assistant",
        content: [1, 2].map((id) => ({
          ...{ type: "tool_use", id: `${id}`, name: "fs_read", input: { path: "a.txt" } },
        })),
      }),
    );
    const message = await atTerminal(["-R=."], { ...here, stdin: "< message.json" });
    expect(message.lines).toEqual(["1. fs_read", "one", "two", "2. fs_read", "one", "two"]);
  },
});

Deno.test({
  name: "a call at a terminal > a failure shows its code, and a command that works",
  ignore,
  async fn() {
    using here = desk();
    const call = ["fs.read", '{"path":"a.txt"}'];
    const seen = await atTerminal(call, { ...here, columns: 120 });
    expect(seen.code).toBe(6);
    expect(seen.written).toContain(
      "\x1b[31merror[permission_denied]:\x1b[0m Permission denied: reading",
    );
    const flag = `--allow-read=${here.cwd}/a.txt`;
    const command = `    toolcall ${flag} fs.read '{"path":"a.txt"}'`;
    expect(seen.lines.slice(-3)).toEqual([
      "help: this command grants it:",
      command,
      "help: --allow-read=. allows the whole directory",
    ]);
    const { stdout } = await new Deno.Command("sh", {
      args: ["-c", command.replace("toolcall", `"${executable}"`)],
      cwd: here.cwd,
    }).output();
    expect(JSON.parse(new TextDecoder().decode(stdout)).isError).toBe(false);
    const table: [args: string[], code: number, says: string[]][] = [
      [["-R=.", "fs.read", '{"path":"b.txt"}'], 1, ["error[tool_failed]: "]],
      [["fs.read", "{"], 3, ["error[malformed_call]: ", "help: the arguments are path (string"]],
      [["fs.raed", "{}"], 4, [
        "error[tool_not_found]: ",
        'help: run "toolcall describe fs.read"',
      ]],
      [["Read", "{}"], 5, [
        'error[invalid_arguments]: Invalid arguments for "Read"',
        "help: the arguments are file_path (string, required), offset (integer)",
        "help: an example:",
        "hello.txt",
      ]],
      [["-A", "--deny-read=.", "fs.read", '{"path":"a.txt"}'], 6, [
        `help: leave out --deny-read=${here.cwd}, which overrides`,
      ]],
    ];
    for (const [args, code, says] of table) {
      const shown = await atTerminal(args, { ...here, columns: 200 });
      expect({ args, code: shown.code }).toEqual({ args, code });
      for (const each of says) expect(shown.lines.join("\n")).toContain(each);
    }
  },
});

Deno.test({
  name:
    "a call at a terminal > no word of a failure is broken at any width, with and without colors",
  ignore,
  async fn() {
    for (const columns of [60, 80, 120]) {
      const args = ["Bash", '{"command":"exit 4567"}'];
      const colored = await atTerminal(args, { columns });
      expect(colored.broken).toEqual([]);
      for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) {
        const plain = await atTerminal(args, { columns, env });
        expect(plain.written).not.toContain("\x1b");
        expect(withoutColors(colored.written)).toBe(plain.written);
      }
      expect(colored.lines).toEqual([
        'error[permission_denied]: Permission denied: running "bash" needs --allow-run=bash',
        "help: this command grants it:",
        '    toolcall --allow-run=bash Bash \'{"command":"exit 4567"}\'',
      ].flatMap((line) =>
        columns < 120 && line.startsWith("error")
          ? line.split(columns === 60 ? / (?=needs)/ : / (?=--)/)
          : line
      ));
    }
  },
});

Deno.test({
  name: "a call at a terminal > control characters are escaped, and images are named",
  ignore,
  async fn() {
    using here = desk();
    Deno.writeTextFileSync(`${here.cwd}/bad.txt`, "a\x1b[2J\x07\u202eb\tc\r\nd");
    const seen = await atTerminal(["-R=.", "fs.read", '{"path":"bad.txt"}'], here);
    expect(seen.written).not.toMatch(/[^\P{Cc}\r\n\t]|\u202e/u);
    expect(seen.lines[0]).toContain("a\\u001b[2J\\u0007\\u202eb");
    Deno.writeFileSync(`${here.cwd}/dot.png`, await png({ width: 2, height: 2 }));
    const image = await atTerminal(["-R=.", "Read", `{"file_path":"${here.cwd}/dot.png"}`], here);
    expect(image.lines.join("\n")).toMatch(/\[image image\/png, \d+ bytes\]/);
    const structured = ["--structured", "-R=.", "fs.read", '{"path":"a.txt"}'];
    expect((await atTerminal(structured, here)).lines).toEqual(["one", "two"]);
  },
});

Deno.test({
  name: "a call at a terminal > --format and TOOLCALL_FORMAT select the format, also in a pipe",
  ignore,
  async fn() {
    using here = desk();
    const call = ["-R=.", "fs.read", '{"path":"a.txt"}'];
    const json = '{"content":[{"type":"text","text":"one\\ntwo\\n"}],"isError":false}';
    for (const more of [{ args: ["--format=mcp"] }, { env: { TOOLCALL_FORMAT: "mcp" } }]) {
      const { args = [], env = {} } = more as { args?: string[]; env?: Record<string, string> };
      expect((await atTerminal([...args, ...call], { ...here, env })).lines).toEqual([json]);
    }
    const env = { TOOLCALL_FORMAT: "text" };
    expect((await toolcall(call, { ...here, env })).stdout).toBe("one\ntwo\n");
    expect((await toolcall(["--format=mcp", ...call], { ...here, env })).stdout).toBe(`${json}\n`);
    const unknown = await toolcall(call, { ...here, env: { TOOLCALL_FORMAT: "yaml" } });
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(unknown.stderr).toContain(
      'Unknown format "yaml" in the variable TOOLCALL_FORMAT; available',
    );
    expect((await toolcall(call, { ...here, env: { TOOLCALL_FORMAT: "" } })).stdout)
      .toBe(`${json}\n`);
    // The processes that run the calls of a message ignore the variable.
    const message = {
      role: "assistant",
      content: ["a", "b"].map((id) => ({
        ...{ type: "tool_use", id, name: "test_tool_of_none", input: {} },
      })),
    };
    const failed = await toolcall(["--format=mcp", "-R=."], {
      ...{ ...here, env, stdin: JSON.stringify(message) },
    });
    expect(JSON.parse(failed.stdout)).toHaveLength(2);
  },
});

Deno.test({
  name: "a call at a terminal > the output of Bash appears once, and while it runs",
  ignore,
  async fn() {
    using here = desk();
    const command = "echo first; while [ ! -e go ]; do sleep 0.05; done; echo second; exit 3";
    let isShown = false;
    const seen = await atTerminal(["-A", "Bash", JSON.stringify({ command })], {
      ...here,
      onText(written) {
        if (isShown || !written.includes("first")) return;
        isShown = true;
        Deno.writeTextFileSync(`${here.cwd}/go`, "");
      },
    });
    expect(seen.code).toBe(1);
    expect(seen.lines).toEqual(["first", "second", "error[tool_failed]: Exit code 3"]);
    const last = ["-A", "Bash", '{"command":"printf a; printf b"}'];
    expect((await atTerminal(last, here)).lines).toEqual(["ab"]);
    const long = await atTerminal(["-A", "Bash", '{"command":"seq 20000; exit 4"}'], here);
    expect(long.written.match(/^19000\r?$/gm)).toHaveLength(1);
    expect(long.lines.slice(-2)).toEqual(["20000", "error[tool_failed]: Exit code 4"]);
    const silent = await atTerminal(["-A", "Bash", '{"command":"true"}'], here);
    expect(silent.lines).toEqual(["The command printed nothing"]);
  },
});

Deno.test({
  name: "a call at a terminal > a line shows how long a call takes, and disappears",
  ignore,
  async fn() {
    using here = desk();
    const command = "until [ -e go ]; do sleep 0.02; done";
    const time = /\rBash {2}\d+ s/;
    const seen = await atTerminal(["-A", "Bash", JSON.stringify({ command })], {
      ...here,
      onText: (written) => time.test(written) && Deno.writeTextFileSync(`${here.cwd}/go`, ""),
    });
    expect(seen.written).toMatch(time);
    expect(seen.lines).toEqual(["The command printed nothing"]);
    // time: the line would appear after a second
    const quiet = await atTerminal(["--quiet", "-A", "Bash", '{"command":"sleep 1.7"}']);
    expect(quiet.written).toBe("The command printed nothing\r\n");
    const repaired = ["-R=/", "Read", '{"file_path":"/etc/hostname","limit":"1"}'];
    expect((await atTerminal(repaired)).lines.at(-1)).toBe("note: corrected /limit (integer)");
    expect((await atTerminal(["--quiet", ...repaired])).lines).toHaveLength(1);
  },
});

Deno.test({
  name: "a call at a terminal > a question to the user is not disturbed by the line with the time",
  ignore,
  async fn() {
    const options = ["Red", "Blue"].map((label) => ({ label, description: `Take ${label}` }));
    const questions = [{ question: "Which colour?", header: "Colour", options }];
    const seen = await atTerminal(["AskUserQuestion", JSON.stringify({ questions })], {
      // The line would appear after a second, before the key is pressed.
      ...{ keys: [["3. Other…", "\r"]], pauseMs: 1_500 },
    });
    // On a slow machine the line may appear before the question.
    const asked = seen.written.slice(seen.written.indexOf("3. Other…"));
    expect(asked).not.toMatch(/AskUserQuestion {2}\d+ s/);
    expect(seen.lines.slice(-2)).toEqual(["Question: Which colour?", "Answer: Red"]);
  },
});

Deno.test({
  name: "a call at a terminal > lines say that an MCP server starts, and which answer is missing",
  ignore,
  async fn() {
    using here = desk();
    const script = `until [ -e '${here.cwd}/go' ]; do sleep 0.02; done`;
    const mcpServers = { slow: { command: "sh", args: ["-c", script] } };
    const line = /\rStarting the MCP server slow {2}\d+ s/;
    Deno.writeTextFileSync(`${here.cwd}/toolcall.json`, JSON.stringify({ mcpServers }));
    trustFile(`${here.cwd}/toolcall.json`);
    const seen = await atTerminal(["--allow-mcp", "mcp__slow__x", "{}"], {
      ...here,
      onText: (written) =>
        line.test(written) && written.includes("Waiting") &&
        Deno.writeTextFileSync(`${here.cwd}/go`, ""),
    });
    expect(seen.code).toBe(8);
    expect(seen.written).toMatch(line);
    expect(seen.lines[0]).toMatch(/^toolcall: Waiting for the MCP server "slow" to answer "server/);
    expect(seen.lines.join("\n")).toMatch(/^error\[unavailable\]: .*"slow"/m);
  },
});
