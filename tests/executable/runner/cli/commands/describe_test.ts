import { expect } from "@std/expect";
import { textWidth } from "../../../../../src/base/terminal/wrap.ts";
import { commandLines } from "../../../../../src/runner/cli/print/example_command.ts";
import type { TextLayout } from "../../../../../src/runner/cli/print/style.ts";
import { toolPage } from "../../../../../src/runner/cli/print/tool_page.ts";
import type { ToolMetadata } from "../../../../../src/runner/registry/registered_tool.ts";
import { entries } from "../../../../../tools/_generated/index.ts";
import { hasTerminals } from "../../../../support/pseudo_terminal.ts";
import { oneLine, toolcall } from "../../../../support/executable.ts";
import { nasty, TOKEN, world } from "../../../../support/mcp/client_world.ts";
import { onTerminal, withoutColors } from "../../../../support/on_terminal.ts";

const tools = await Promise.all(entries.map(async (entry) => (await entry.load()).metadata));

const pageOf = (width?: number): TextLayout => ({ width, paint: (text) => text });

/** The text with each line break and run of spaces as one space. */
const unbroken = (text: string) => text.replace(/\s+/g, " ");

/** A tool with this input schema. */
function tool(inputSchema: Record<string, unknown>, more: Partial<ToolMetadata> = {}) {
  const { outputSchema: _, ...usual } = tools[0]!;
  return { ...usual, aliases: [], requires: [], examples: [], inputSchema, ...more };
}

/** The lines of the page under `Arguments:`. */
function argumentsOf(inputSchema: Record<string, unknown>): string[] {
  return toolPage(tool(inputSchema), pageOf()).split("Arguments:\n")[1]!.trimEnd().split("\n");
}

Deno.test("describe --format=json > the output is the whole declaration of a tool, by any of its names", async () => {
  for (const name of ["Read", "FileRead", "TaskOutput", "AskUserQuestion"]) {
    const expected = tools.find((each) => each.name === name || each.aliases.includes(name));
    const printed = oneLine(await toolcall(["describe", name, "--format=json"]));
    // The examples are completed, and printed_examples_test.ts runs them.
    const { examples, ...rest } = printed as { examples: unknown[] };
    const { examples: declared, ...declaration } = expected!;
    expect(rest).toEqual(JSON.parse(JSON.stringify(declaration)));
    expect(examples.length).toBe(declared.length);
  }
});

Deno.test("describe > the page shows the whole declaration of a tool", async () => {
  const { code, stdout, stderr } = await toolcall(["describe", "rss_feed"]);
  expect([code, stderr, stdout.includes("\x1b")]).toEqual([0, "", false]);
  const { title, description, usageHint, examples } = tools.find(({ name }) =>
    name === "rss_feed"
  )!;
  const text = unbroken(stdout);
  for (
    const part of [
      `rss_feed: ${title} ${description}`,
      `When to use: ${usageHint}`,
      "Category: research Effect: network Optionality: optional Permissions: --allow-net",
      "Time limit: 30 s",
      "url (string, required, format uri)",
      "since (string, optional, characters at least 4)",
      "limit (integer, optional, default 20, at least 1, at most 200)",
      examples[0]!.description,
    ]
  ) expect(text).toContain(unbroken(part));
  const others: [name: string, says: string][] = [
    ["Bash", "Time limit: depends on the arguments"],
    ["Bash", "command (string, required, not empty)"],
    ["Agent", "Time limit: 30 min"],
    ["AskUserQuestion", "Time limit: 1 h"],
    ["Read", "Aliases: FileRead"],
    ["Edit", "file_path (string, required, pattern ^/)"],
    ["git", "Requires: git"],
    ["TaskOutput", "Data of the result: id (string, required) The id of the task tool"],
    ["AskUserQuestion", "options (array of object, required, items at least 2, items at most 4)"],
  ];
  for (const [name, says] of others) {
    expect(unbroken((await toolcall(["describe", name])).stdout)).toContain(says);
  }
});

Deno.test("describe > the page shows fields that no built-in tool has", () => {
  const empty = { type: "object", properties: {} };
  const { description: _, ...hidden } = tool(empty, { requires: ["jq", "a\u001b[2Jb\nc"] });
  const page = toolPage(hidden, pageOf(), { timeoutMs: 1_500 });
  expect(page).toContain("\nHidden:      it can be called but is not listed\n");
  expect(page).toContain("\nTime limit:  1.5 s\n");
  expect(page).toContain("\nRequires:    jq, a\\u001b[2Jb\\nc\n");
  expect(page).toContain("\nArguments:\n  none\n");
  expect(page).not.toContain("Examples");
});

Deno.test("describe > each argument is shown with its type, default and limits", () => {
  const traits: [schema: unknown, says: string][] = [
    [{ enum: ["a", 1, null] }, '"a" | 1 | null, optional'],
    [{ const: "x" }, '"x", optional'],
    [{ type: ["string", "null"], default: null }, "string | null, optional, default null"],
    [{ anyOf: [{ type: "string" }, { type: "integer" }] }, "string | integer, optional"],
    [{ oneOf: [{ type: "string" }, { type: "string" }] }, "string, optional"],
    [{ type: "array", items: { enum: [1, 2] } }, "array of (1 | 2), optional"],
    [{ type: "object", additionalProperties: { type: "number" } }, "object of number, optional"],
    [
      { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1, multipleOf: 0.1 },
      "number, optional, more than 0, less than 1, a multiple of 0.1",
    ],
    [
      { type: "array", minItems: 1, maxItems: 3, uniqueItems: true },
      "array, optional, items at least 1, items at most 3, unique items",
    ],
    [
      { type: "string", minLength: 2, pattern: "\n\u202e" },
      "characters at least 2, pattern \\n\\u202e",
    ],
    [{ $ref: "#/$defs/a~1b%20", default: 3 }, "integer, optional, default 3, at least 1"],
    [{ $ref: "#/$defs/missing" }, "any, optional"],
    [{ $ref: "#/$defs/circle" }, "any, optional"],
    [{ $ref: "https://example.com/a" }, "any, optional"],
    [true, "any, optional"],
    [{ type: 7, properties: 3, items: "x", required: 1, description: 5 }, "any, optional"],
  ];
  const $defs = {
    "a/b ": { type: "integer", minimum: 1 },
    circle: { $ref: "#/$defs/circle" },
  };
  for (const [schema, says] of traits) {
    const lines = argumentsOf({ type: "object", properties: { a: schema }, $defs });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(says);
    expect(lines[0]).toMatch(/^ {2}a \(.*\)$/);
  }
});

Deno.test("describe > a nested object is shown once, and a recursive schema has an end", () => {
  const node = {
    type: "object",
    properties: {
      value: { type: "integer" },
      children: { type: "array", items: { $ref: "#/$defs/node" } },
    },
    required: ["value"],
  };
  expect(argumentsOf({ properties: { tree: { $ref: "#/$defs/node" } }, $defs: { node } })).toEqual([
    "  tree (object, optional)",
    "      value (integer, required)",
    "      children (array of object, optional)",
    "          as above",
  ]);
  const either = { anyOf: [node, { properties: { text: { type: "string" } } }] };
  const lines = argumentsOf({ properties: { either }, $defs: { node } });
  expect(lines).toContain("      text (string, optional)");
  // Thirty schemas that each refer to all of them would give 30 ** 12 lines without a limit.
  const names = Array.from({ length: 30 }, (_, at) => `n${at}`);
  const all = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]));
  const $defs = Object.fromEntries(names.map((name) => [name, { anyOf: Object.values(all) }]));
  expect(argumentsOf({ properties: all, $defs }).length).toBeLessThan(30 + 30 * 30);
  // A long description is not repeated for each reference.
  const long = { type: "string", description: "x".repeat(2 ** 18) };
  const same = Object.fromEntries(names.map((name) => [name, { $ref: "#/$defs/long" }]));
  const page = argumentsOf({ properties: same, $defs: { long } }).join("\n");
  expect(page.length).toBeLessThan(4 * 2 ** 20);
  expect(page).toMatch(/\n {2}nested values are not shown; see --format=json$/);
  let deep: Record<string, unknown> = { type: "string" };
  for (let at = 0; at < 2_000; at++) deep = { properties: { a: deep } };
  expect(argumentsOf(deep).at(-1)).toContain("nested values are not shown; see --format=json");
});

Deno.test("describe > no line is wider than the page, and the examples can be pasted", async () => {
  const calls: { name: string; input: unknown }[] = [];
  // The flags come first, and the function drops them.
  let script =
    'toolcall() { while [ $# -gt 2 ]; do shift; done; printf \'%s\\0\' "$#" "$1" "$2"; }\n';
  for (const width of [24, 40, 57, 80, 200, undefined]) {
    for (const { name, ...tool } of tools) {
      const page = toolPage({ name, ...tool }, pageOf(width));
      const [about, examples] = page.split("\nExamples:\n");
      const measured = width === undefined ? about! : page;
      const widest = Math.max(...measured.split("\n").map(textWidth));
      expect({ name, fits: widest <= Math.min(width ?? 100, 100), widest })
        .toEqual({ name, fits: true, widest });
      for (const key of Object.keys(tool.inputSchema["properties"] ?? {})) {
        // A name that is wider than the page is broken.
        const name = [...key.slice(0, (width ?? 100) - 4)].join("\\n? *");
        expect(about!.replace(/ $/gm, "")).toMatch(new RegExp(`\\n  ${name}`));
      }
      const lines = (examples ?? "").split("\n");
      // A description starts with two spaces. A command starts with more, or continues a string.
      script += lines.filter((line) => !/^ {2}\S/.test(line)).join("\n");
      calls.push(...tool.examples.map(({ input }) => ({ name, input })));
    }
  }
  const hard = {
    "it's": ["'\\'\n\"$(id)`id`\u202e", "日本語".repeat(40), "'".repeat(99)],
    n: -1.5e3,
  };
  for (let width = 20; width < 120; width++) {
    const lines = commandLines("fs.read", { input: hard }, width);
    expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(Math.max(width, 24));
    script += `${lines.join("\n")}\n`;
    calls.push({ name: "fs.read", input: hard });
  }
  const sh = new Deno.Command("sh", { stdin: "piped", stdout: "piped" }).spawn();
  const writer = sh.stdin.getWriter();
  const written = writer.write(new TextEncoder().encode(script)).then(() => writer.close());
  const parts = new TextDecoder().decode((await sh.output()).stdout).split("\0");
  await written;
  expect(parts).toHaveLength(3 * calls.length + 1);
  calls.forEach(({ name, input }, at) => {
    const [count, command, json] = parts.slice(3 * at);
    expect([count, command, JSON.parse(json!)]).toEqual(["2", name, input]);
  });
});

Deno.test({
  name: "describe > hostile texts are escaped on a terminal, fit its width and set no color",
  ignore: !hasTerminals,
  async fn(t) {
    using place = world(() => ({ it: nasty("ugly") }));
    const state = `--state-dir=${place.path}/state`;
    await place.run(["list", "--allow-mcp"]);
    const more = { cwd: place.path, env: { TOKEN } };
    for (const columns of [40, 80, 200]) {
      for (const name of ["Bash", "mcp__it__strange", `mcp__it__${"n".repeat(55)}`]) {
        await t.step(`${columns} columns: ${name}`, async () => {
          const shown = await onTerminal(["describe", name, state], { columns, ...more });
          expect([shown.code, shown.broken]).toEqual([0, []]);
          expect(shown.written).toContain("\x1b[1mArguments:\x1b[0m");
          const effect = name === "Bash" ? "spawns" : "mutating";
          expect(shown.written).toContain(`\x1b[31m${effect}\x1b[0m`);
          const plain = withoutColors(shown.written);
          expect(plain).not.toMatch(/[^\P{Cc}\r\n]|[\u2028\u202e]/u);
          const widest = Math.max(...plain.split("\r\n").map(textWidth));
          expect(widest).toBeLessThanOrEqual(Math.min(columns, 100));
          if (name !== "mcp__it__strange") return;
          const text = shown.lines.join("").replace(/\s+/g, "");
          for (const says of ["line\\nend\\u001b[2J\\u202e", "\\u009b2J\\u202e", "value499"]) {
            expect(text).toContain(says);
          }
          expect(text).toContain("tree(object,required)Thetreevalue(integer|null,required)");
        });
      }
    }
    for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) {
      const { written } = await onTerminal(["describe", "Bash"], { columns: 80, env });
      expect(written).not.toContain("\x1b");
    }
  },
});
