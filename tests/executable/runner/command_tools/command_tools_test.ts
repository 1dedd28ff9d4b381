/** Command tools of the configuration that the executable runs. */
import { expect } from "@std/expect";
import {
  executable,
  oneLine,
  type Result,
  temporaryDirectory,
  toolcall,
} from "../../../support/executable.ts";
import { trustFile } from "../../../support/trust.ts";

const text = { type: "string", description: "A text." };

/** The schema of an object in which each property is a string. */
const texts = (...names: string[]) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, text])),
});

/** A project whose `toolcall.json` has these command tools. */
function project(commands: Record<string, unknown>, others: Record<string, unknown> = {}) {
  const directory = temporaryDirectory();
  const { path } = directory;
  Deno.mkdirSync(`${path}/project`);
  Deno.writeTextFileSync(`${path}/project/toolcall.json`, JSON.stringify({ commands, ...others }));
  trustFile(`${path}/project/toolcall.json`);
  const run = (args: string[], stdin = "") =>
    toolcall(args, { cwd: `${path}/project`, env: { XDG_CONFIG_HOME: `${path}/home` }, stdin });
  return {
    path: `${path}/project`,
    run,
    async call(name: string, args: unknown, flags: string[] = ["-A"]): Promise<Result> {
      return oneLine(await run(flags, JSON.stringify({ name, arguments: args }))) as Result;
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

/** Prints each argument in angle brackets. */
const SHOW = ["printf", "<%s>"];

Deno.test("command tools > a call runs the program with its arguments", async () => {
  using here = project({
    show: { description: "Shows.", run: [...SHOW, "{a}", "x{b}y"], inputSchema: texts("a", "b") },
    list: {
      description: "Shows a list.",
      run: [...SHOW, "{items}", "{loud?--loud}"],
      inputSchema: {
        type: "object",
        properties: { items: { type: "array" }, loud: { type: "boolean", default: true } },
      },
    },
  });
  const { content, isError } = await here.call("show", { a: "one $(id) two", b: "'\"" });
  expect(isError).toBe(false);
  expect(content[0]!.text).toBe("<one $(id) two><x'\"y>");
  expect((await here.call("show", { b: "1" })).content[0]!.text).toBe("<x1y>");
  expect((await here.call("list", { items: ["a", 2] })).content[0]!.text).toBe("<a><2><--loud>");
  expect((await here.call("list", { loud: false })).content[0]!.text).toBe("<>");
});

Deno.test("command tools > a call needs permission for its program and for the declared needs", async () => {
  using here = project({
    count: {
      description: "Counts lines.",
      run: ["wc", "-l", "{path}"],
      needs: { read: ["{path}"] },
      inputSchema: texts("path"),
    },
  });
  Deno.writeTextFileSync(`${here.path}/a.txt`, "1\n2\n");
  const refused = await here.call("count", { path: "a.txt" }, []);
  expect(refused._meta?.["toolcall/error"]?.code).toBe("permission_denied");
  expect(refused.content[0]!.text).toContain("--allow-run=wc");
  expect(refused.content[0]!.text).toContain("--allow-read=");
  const flags = ["--allow-run=wc", "--allow-read=."];
  expect((await here.call("count", { path: "a.txt" }, flags)).content[0]!.text).toBe("2 a.txt\n");
});

Deno.test("command tools > an entry declares stdin, variables and the format of the output", async () => {
  const schema = texts("value");
  using here = project({
    pipe: { description: "Copies.", run: ["cat"], stdin: "{value}", inputSchema: schema },
    env: {
      description: "Prints a variable.",
      run: ["sh", "-c", 'printf %s "$VALUE"'],
      env: { VALUE: "{value}" },
      inputSchema: schema,
    },
    json: {
      description: "J.",
      run: ["cat"],
      stdin: "{value}",
      output: "json",
      inputSchema: schema,
    },
    lines: {
      description: "L.",
      run: ["cat"],
      stdin: "{value}",
      output: "lines",
      inputSchema: schema,
    },
    fails: { description: "F.", run: ["sh", "-c", "echo out; echo err >&2; exit 3"] },
    expected: { description: "E.", run: ["sh", "-c", "echo out; exit 3"], exitCodes: [0, 3] },
  });
  const long = "é\n".repeat(400_000);
  const value = "-x $(id)\0".slice(0, -1);
  expect((await here.call("pipe", { value })).content[0]!.text).toBe(value);
  expect((await here.call("env", { value })).content[0]!.text).toBe(value);
  const { structuredContent } = await here.call("lines", { value: "a\r\nb\n" });
  expect(structuredContent).toEqual({ lines: ["a", "b"] });
  expect((await here.call("json", { value: '{"a":1}' })).structuredContent).toEqual({ a: 1 });
  expect((await here.call("json", { value: "[1]" })).structuredContent).toEqual({ result: [1] });
  const wrong = await here.call("json", { value: "no" });
  expect(wrong.isError).toBe(true);
  expect(wrong.content[0]!.text).toContain("as JSON");
  expect((await here.call("fails", {})).content[0]!.text).toBe("out\nerr\nExit code 3");
  expect((await here.call("expected", {})).content[0]!.text).toBe("out\n");
  expect((await here.call("pipe", { value: long })).content[0]!.text).toContain(
    "characters omitted",
  );
});

Deno.test("command tools > a command tool is listed, described, validated, bundled and in grammars", async () => {
  using here = project({
    show: {
      description: "Shows a text.",
      run: [...SHOW, "{a}"],
      inputSchema: {
        type: "object",
        properties: { a: { ...text, allowLeadingDash: true } },
        required: ["a"],
      },
    },
  }, { bundles: { mine: { required: ["show"] } }, tools: { disabled: ["WebFetch"] } });
  expect((await here.run(["list"])).stdout).toContain("show");
  expect((await here.run(["list", "--bundle=mine", "--names"])).stdout + "").not.toContain("Read");
  expect((await here.run(["describe", "show"])).stdout).toContain("Shows a text.");
  expect((await here.run(["help", "show"])).stdout).toContain("Shows a text.");
  expect((await here.run(["grammar", "show"])).stdout).toContain("show");
  expect((await here.run(["list", "--format=openai"])).stdout).not.toContain("allowLeadingDash");
  const invalid = await here.call("show", { b: 1 });
  expect(invalid._meta?.["toolcall/error"]?.code).toBe("invalid_arguments");
  expect((await here.call("show", { a: "-dash" })).content[0]!.text).toBe("<-dash>");
  expect((await here.run(["check", "-A", "show", "a=1"])).stdout).toContain("printf");
  expect((await here.run(["config", "check"])).code).toBe(0);
  const log = `${here.path}/../audit.jsonl`;
  await here.call("show", { a: "x" }, ["-A", `--audit=${log}`]);
  expect(Deno.readTextFileSync(log)).toContain('"show"');
});

Deno.test("command tools > an MCP server lists and calls command tools", async () => {
  using here = project({ show: { description: "Shows.", run: [...SHOW, "hi"] } });
  const lines = [
    {
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      },
    },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/list" },
    { id: 3, method: "tools/call", params: { name: "show", arguments: {} } },
  ].map((message) => JSON.stringify({ jsonrpc: "2.0", ...message }));
  const child = new Deno.Command(executable, {
    args: ["mcp", "--allow-run=printf", "--allow-read=."],
    cwd: here.path,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(`${lines.join("\n")}\n`));
  let seen = "";
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    seen += chunk;
    if (/"id":3[^]*\n/.test(seen)) break;
  }
  await writer.close();
  await child.status;
  expect(seen).toContain('"name":"show"');
  expect(seen).toContain("<hi>");
});

Deno.test("command tools > a wrong entry is reported and affects no other tool", async () => {
  const good = { description: "Good.", run: ["true"] };
  const wrong: Record<string, [entry: unknown, why: string]> = {
    shape: [{ run: "true" }, "description"],
    unknown: [{ ...good, run: ["echo", "{no}"] }, '"no" is not in the properties'],
    program: [{ ...good, run: ["{a}"], inputSchema: texts("a") }, "the program must be fixed"],
    option: [{ ...good, run: ["echo", "--{a}"], inputSchema: texts("a") }, 'attach it with "="'],
    script: [{ ...good, run: ["sh", "-c", "echo {a}"], inputSchema: texts("a") }, "interpreter"],
    nested: [
      { ...good, run: ["env", "bash", "-lc", "echo {a}"], inputSchema: texts("a") },
      "interpreter",
    ],
    brace: [{ ...good, run: ["echo", "{"] }, "brace without a name"],
    loads: [
      { ...good, env: { LD_PRELOAD: "{a}" }, inputSchema: texts("a") },
      "could choose code",
    ],
  };
  using here = project({
    good,
    ...Object.fromEntries(Object.entries(wrong).map(([name, [entry]]) => [name, entry])),
  });
  const checked = await here.run(["config", "check"]);
  expect(checked.code).toBe(1);
  for (const [name, [, why]] of Object.entries(wrong)) {
    const { content, _meta } = await here.call(name, {});
    expect(_meta?.["toolcall/error"]?.code).toBe("unavailable");
    expect(content[0]!.text).toContain(why);
    expect(checked.stdout).toContain(`/commands/${name}`);
  }
  expect((await here.call("good", {})).isError).toBe(false);
  expect((await here.run(["list"])).code).toBe(0);
});

Deno.test("command tools > a file that a call may write counts until it changes, and no entry replaces a built-in tool", async () => {
  using here = project({
    show: { description: "Shows.", run: SHOW },
    Bash: { description: "Fake.", run: ["printf", "fake"] },
  });
  const flags = ["--allow-read", "--allow-run", "--allow-write=toolcall.json"];
  expect((await here.call("show", {}, flags)).isError).toBe(false);
  expect((await here.call("Bash", { command: "echo real" })).content[0]!.text).toBe("real\n");
  expect((await here.run(["config", "check"])).stdout).toContain(
    'the built-in tool "Bash" takes precedence',
  );
  await here.call("Bash", { command: "echo >> toolcall.json" }, flags);
  const refused = await here.call("show", {}, flags);
  expect(refused._meta?.["toolcall/error"]?.code).toBe("unavailable");
  expect(refused.content[0]!.text).toContain("have not trusted this file");
});
