/** The inner loop of a tool's author: `deno task generate` and `deno task dev`, in a copy. */
// tier: machine
import { expect } from "@std/expect";
import { fileURLToPath } from "node:url";
import { copyToWrite } from "../../support/example_world.ts";
import { temporaryDirectory } from "../../support/temporary_directory.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const PARTS = [
  ...["deno.json", "deno.lock", "main.ts", "worker.ts", "toolcall.schema.json"],
  ...["src", "tools", "scripts", "links", "tests/support", "tests/fixtures"],
];

const TOOL = `import { defineTool } from "../src/runner/registry/define.ts";

export default defineTool({
  name: "WordCount",
  title: "Count words",
  description: "Counts the words of a text",
  category: "utility",
  sideEffect: "none",
  optionality: "optional",
  usageHint: "To know how long a text is",
  inputSchema: {
    type: "object",
    required: ["text"],
    additionalProperties: false,
    properties: { text: { type: "string", description: "The text" } },
  },
  examples: [{ description: "Two words", input: { text: "a b" }, expect: "2" }],
  permissions: { kinds: [], needs: () => [] },
  run: (args) => String(args.text.split(" ").length),
});
`;

/** A copy of the checkout with everything that these tasks need, and the tool. */
function copyWithTool() {
  const directory = temporaryDirectory();
  Deno.mkdirSync(`${directory.path}/tests`);
  for (const part of PARTS) copyToWrite(`${root}${part}`, `${directory.path}/${part}`);
  const write = (text: string) =>
    Deno.writeTextFileSync(`${directory.path}/tools/word_count.ts`, text);
  write(TOOL);
  return { path: directory.path, write, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

async function deno(cwd: string, ...args: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), errors: text(stderr) };
}

Deno.test("generate > it prints its changes, and names the file and line of an error", async (t) => {
  using copy = copyWithTool();
  const generate = () => deno(copy.path, "run", "-A", "scripts/generate.ts");
  const call = () => deno(copy.path, "run", "-A", "main.ts", "WordCount", "text=a b c");

  await t.step("a new tool is added, and a command to try it is printed", async () => {
    const { out, errors, code } = await generate();
    expect([code, errors]).toEqual([0, ""]);
    const [, command] = /^Added WordCount \(tools\/word_count\.ts\); try: (.*)\n$/.exec(out)!;
    const words = command!.split(" ");
    expect(words[0]).toBe("deno");
    expect((await deno(copy.path, ...words.slice(1))).out).toContain("WordCount: Count words");
    expect((await call()).out).toContain('"text":"3"');
  });

  await t.step("a run without changes says so", async () => {
    expect(await generate()).toEqual({ code: 0, out: "No tool is new or changed\n", errors: "" });
  });

  await t.step("a call fails while the changed declaration is not generated", async () => {
    copy.write(
      TOOL.replace("{ text: {", '{ loud: { type: "boolean", description: "Loud" }, text: {'),
    );
    const { out, code } = await call();
    expect(code).toBe(8);
    expect(out).toContain('its declaration has changed; run \\"deno task generate\\"');
    expect((await generate()).out).toMatch(/^Changed WordCount \(tools\/word_count\.ts\); try: /);
    expect((await call()).code).toBe(0);
  });

  const faults: [from: string, to: string, says: string[]][] = [
    ['"utility"', '"mycat"', ['"mycat"', "tools/word_count.ts:7:3"]],
    ["args.text", "args.txt", ["'txt'", "tools/word_count.ts:19:30"]],
    ['"utility",', '"utility",,', ["tools/word_count.ts: cannot be imported", "word_count.ts:7:"]],
    ["export default", "missing();\nexport default", [
      "missing is not defined",
      "word_count.ts:3:",
    ]],
    ['title: "Count words",', "", ['tools/word_count.ts: the field "title" is missing']],
  ];
  for (const [from, to, says] of faults) {
    await t.step(
      `an error is reported and nothing is written: ${to.split("\n")[0] || "no title"}`,
      async () => {
        const index = `${copy.path}/tools/_generated/index.ts`;
        const before = Deno.readTextFileSync(index);
        copy.write(TOOL.replace(from, to));
        const { code, out, errors } = await generate();
        expect([code, out]).toEqual([1, ""]);
        for (const each of says) expect(errors).toContain(each);
        expect(errors).not.toContain("scripts/");
        expect(errors).not.toContain(copy.path);
        expect(Deno.readTextFileSync(index)).toBe(before);
      },
    );
  }

  await t.step("a tool without its file is removed", async () => {
    Deno.removeSync(`${copy.path}/tools/word_count.ts`);
    expect((await generate()).out).toBe("Removed WordCount (tools/word_count.ts)\n");
  });
});

Deno.test("dev > a saved tool is generated and its examples run", async () => {
  using copy = copyWithTool();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "scripts/dev.ts"],
    cwd: copy.path,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const errors = child.stderr.text();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let printed = "";
  /** Reads until the program has printed `text`. Returns the output since the previous read. */
  const readUntil = async (text: string): Promise<string> => {
    while (!printed.includes(text)) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`Ended without ${text}:\n${printed}\n${await errors}`);
      printed += value;
    }
    const found = printed;
    printed = "";
    return found;
  };
  try {
    expect(await readUntil("Watching tools/")).toContain("Added WordCount");
    copy.write(TOOL.replace(".length", ".length + 0"));
    expect(await readUntil("examples passed")).toContain("ok   WordCount: Two words");
    copy.write(TOOL.replace(".length", ".length + 1"));
    expect(await readUntil("0 examples passed, 1 failed"))
      .toContain(
        'FAIL WordCount: Two words\n     expected "2" in\n     {"content":[{"type":"text","text":"3"}]',
      );
    copy.write(TOOL.replace('"a b"', '"a b c"').replace('"2"', '"3"'));
    expect(await readUntil("1 examples passed, 0 failed")).toContain("Changed WordCount");
  } finally {
    child.kill();
    await reader.cancel();
    await child.status;
    await errors;
  }
});
