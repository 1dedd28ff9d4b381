import { expect } from "@std/expect";
import {
  categories,
  optionalities,
  sideEffects,
} from "../../../../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../../../../src/runner/registry/registered_tool.ts";
import { entries } from "../../../../../tools/_generated/index.ts";
import { hasTerminals } from "../../../../support/pseudo_terminal.ts";
import { oneLine, toolcall } from "../../../../support/executable.ts";
import { nasty, TOKEN, world } from "../../../../support/mcp/client_world.ts";
import { onTerminal, withoutColors } from "../../../../support/on_terminal.ts";

/** Every tool that is listed, from its own declaration. */
const all = (await Promise.all(entries.map(async (entry) => (await entry.load()).metadata)))
  .filter(({ description, offered }) => description !== undefined && offered === undefined)
  .sort((a, b) => (a.name < b.name ? -1 : 1));

const namesOf = (tools: readonly { name: string }[]) => tools.map(({ name }) => name);

/** The names of the tools that `list` gives with these arguments. */
async function listed(...args: string[]): Promise<string[]> {
  return namesOf(oneLine(await toolcall(["list", "--format=json", ...args])) as ToolMetadata[]);
}

Deno.test("list --format=json > the output has the whole declaration of every tool", async () => {
  const plain = (tools: ToolMetadata[]) =>
    JSON.parse(JSON.stringify(tools)).map((tool: ToolMetadata) => ({ ...tool, examples: [] }));
  const listed = oneLine(await toolcall(["list", "--format=json"])) as ToolMetadata[];
  // The examples are completed, and printed_examples_test.ts runs them.
  expect(plain(listed)).toEqual(plain(all));
  expect(listed.map(({ examples }) => examples.length))
    .toEqual(all.map(({ examples }) => examples.length));
});

Deno.test("list > each filter selects the tools with its value, and filters combine", async () => {
  const values: [flag: string, values: readonly string[], of: (tool: ToolMetadata) => string][] = [
    ["category", categories, ({ category }) => category],
    ["optionality", optionalities, ({ optionality }) => optionality],
    ["effect", sideEffects, ({ sideEffect }) => sideEffect],
  ];
  for (const [flag, known, of] of values) {
    const found = await Promise.all(known.map((value) => listed(`--${flag}=${value}`)));
    known.forEach((value, at) => {
      expect({ value, names: found[at] })
        .toEqual({ value, names: namesOf(all.filter((tool) => of(tool) === value)) });
    });
    expect(found.flat().sort()).toEqual(namesOf(all).sort());
  }
  const both = all.filter((tool) => tool.category === "code" && tool.sideEffect === "read_only");
  expect(both.length).toBeGreaterThan(2);
  expect(await listed("--category=code", "--effect=read_only")).toEqual(namesOf(both));
  expect(await listed("--effect=read_only", "Write", "Read", "fs_read", "WebFetch"))
    .toEqual(["Read", "fs.read"]);
});

Deno.test("list --search > every word must match, and matches in names come first", async (t) => {
  const cases: [text: string, names: string[], why: string][] = [
    ["notebook_path", ["NotebookEdit"], "an argument's name"],
    ["NOTEBOOK_path", ["NotebookEdit"], "letter case"],
    ["multiselect", ["AskUserQuestion"], "the name of an argument within another"],
    ["FileRead", ["Read"], "an alias"],
    ["notebook CELL replace", ["NotebookEdit"], "words of several fields"],
    ["  taskstop ", ["TaskStop"], "spaces around"],
    ["notebook zzzz", [], "a word without a match"],
    ["todo task_id", [], "words of two tools"],
  ];
  for (const [text, names, why] of cases) {
    await t.step(why, async () => {
      const found = await listed(`--search=${text}`);
      expect({ text, found: found.filter((name) => names.includes(name)) })
        .toEqual({ text, found: names });
      expect(found.length).toBeLessThan(names.length + 5);
      if (names.length === 0) expect(found).toEqual([]);
      else expect(found[0]).toBe(names[0]);
    });
  }
  await t.step(
    "a whole name comes before a part of a name, and that before other texts",
    async () => {
      const found = await listed("--search=search");
      const inName = found.filter((name) => /search/i.test(name));
      expect([found[0], inName]).toEqual(["search", found.slice(0, inName.length)]);
      expect(inName).toContain("WebSearch");
      expect(found.slice(inName.length)).toContain("Grep");
    },
  );
  await t.step("the search combines with other flags", async () => {
    const found = await listed("--search=search", "--effect=network");
    expect(found).toContain("WebSearch");
    expect(found).not.toContain("Grep");
  });
});

Deno.test("list > the filters select the same tools in every format", async () => {
  const flags = ["--category=code", "--search=file path", "--effect=mutating"];
  const names = await listed(...flags);
  expect(names).toContain("Edit");
  const run = async (format: string) => {
    return oneLine(await toolcall(["list", `--format=${format}`, ...flags]));
  };
  const inApi = names.map((name) => name.replace(".", "_"));
  expect(namesOf((await run("mcp") as { tools: ToolMetadata[] }).tools)).toEqual(inApi);
  expect(namesOf(await run("anthropic") as ToolMetadata[])).toEqual(inApi);
  expect(namesOf(await run("responses") as ToolMetadata[])).toEqual(inApi);
  expect((await run("openai") as { function: ToolMetadata }[]).map((each) => each.function.name))
    .toEqual(inApi);
  const [{ functionDeclarations }] = await run("gemini") as [
    { functionDeclarations: ToolMetadata[] },
  ];
  expect(namesOf(functionDeclarations)).toEqual(inApi);
  const { stdout } = await toolcall(["list", ...flags]);
  expect(stdout.trimEnd().split("\n").slice(1).map((line) => line.split(" ")[0])).toEqual(names);
});

Deno.test("list > an empty result is an empty list in JSON, and a message on stderr in a table", async () => {
  const flags = ["--category=vcs", "--search=no such\u001b[31m"];
  const empty: [format: string, value: unknown][] = [
    ["json", []],
    ["mcp", { tools: [] }],
    ["openai", []],
    ["gemini", [{ functionDeclarations: [] }]],
  ];
  for (const [format, value] of empty) {
    const run = await toolcall(["list", `--format=${format}`, ...flags]);
    expect([run.code, run.stderr, oneLine(run)]).toEqual([0, "", value]);
  }
  const says = 'No tool matches --category=vcs --search="no such\\u001b[31m"';
  for (const more of [[], ["--lint"]]) {
    expect(await toolcall(["list", ...flags, ...more]))
      .toEqual({ code: 0, stdout: "", stderr: `toolcall: ${says}\n` });
  }
  expect((await toolcall(["list", "Read", "Write", "--effect=none"])).stderr)
    .toBe("toolcall: No tool matches --effect=none among Read, Write\n");
});

Deno.test("list > the error for an unknown value names the known values and a similar one", async () => {
  const wrong: [flag: string, says: string][] = [
    ["--category=cod", "available: code, vcs, build, research, publish, utility, agent, mcp"],
    ["--category=cod", 'did you mean "code"?'],
    ["--optionality=Required", "available: required, optional, conditional; did you mean"],
    ["--effect=read-only", 'spawns; did you mean "read_only"?'],
    ["--effect=constructor", 'Unknown side effect "constructor"; available: none, read_only'],
    ["--search=  ", "--search needs a word"],
    ["--search=", "--search needs a value"],
  ];
  for (const [flag, says] of wrong) {
    const { code, stdout, stderr } = await toolcall(["list", flag, "--format=json"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(says);
    expect(stderr.split("\n")).toHaveLength(2);
  }
  expect((await toolcall(["describe", "Read", "--search=x"])).code).toBe(2);
});

Deno.test("list > a pipe gets one line for each tool, in plain columns without truncation", async () => {
  const { stdout, stderr } = await toolcall(["list"], { env: { TERM: "xterm-256color" } });
  const [headers, ...lines] = stdout.trimEnd().split("\n");
  expect([stderr, stdout.includes("\x1b")]).toEqual(["", false]);
  expect(lines).toHaveLength(all.length);
  const starts = [..."CEONT"].map((letter) => headers!.search(new RegExp(`(?<=  )${letter}`)));
  lines.forEach((line, at) => {
    const { name, category, sideEffect, optionality, title } = all[at]!;
    const cells = line.split(/  +/);
    expect(cells.toSpliced(4, 1)).toEqual([name, category, sideEffect, optionality, title]);
    const needs = { Bash: "run bash", git: "-RW, run git", Read: "-R", WebFetch: "-N", logit: "-" };
    expect({ [name]: cells[4] }).toMatchObject(
      name in needs ? { [name]: needs[name as "git"] } : {},
    );
    for (const start of starts) expect(line.slice(start - 1, start + 1)).toMatch(/^ \S$/);
  });
});

Deno.test({
  name: "list > no line is wider than the terminal, and effects have colors",
  ignore: !hasTerminals,
  async fn(t) {
    using place = world(() => ({ it: nasty("ugly") }));
    const state = `--state-dir=${place.path}/state`;
    const cwd = place.path;
    await place.run(["list", "--allow-mcp"]);
    for (const columns of [16, 40, 80, 200]) {
      await t.step(`${columns} columns`, async () => {
        const { code, written, lines, broken } = await onTerminal(["list", state], {
          ...{ columns, cwd, env: { TOKEN } },
        });
        expect([code, broken]).toEqual([0, []]);
        const text = lines.join("\n");
        const plain = text.replace(/\s+/g, "");
        for (const { name, title } of all) {
          expect(name.length > columns ? plain : text).toContain(name);
          expect(plain).toContain(title.replaceAll(" ", ""));
        }
        expect(plain).toContain(`mcp__it__${"n".repeat(55)}`);
        expect(plain).toContain(`日本語日本語`);
        expect(plain).toContain("\\u001b[2JNext\\u001b]0;title\\u0007");
        expect(plain).toMatch(/\d+tools;seeonewith"toolcalldescribeNAME"$/);
        expect(written).toContain("\x1b[1mBash\x1b[0m");
        expect(written).toContain("\x1b[31mspawns\x1b[0m");
        expect(written).toContain("\x1b[33mnetwork\x1b[0m");
        expect(written).toContain("\x1b[32mread_only\x1b[0m");
        expect(withoutColors(written)).not.toMatch(/[^\P{Cc}\r\n]/u);
        const isTable = lines[0]!.startsWith("NAME ");
        expect(isTable).toBe(columns > 40);
        if (isTable) {
          const at = lines[0]!.indexOf("EFFECT");
          expect(lines.find((line) => line.startsWith("Bash "))!.slice(at)).toMatch(/^spawns /);
        }
      });
    }
    const plain: Record<string, string>[] = [{ NO_COLOR: "1" }, { TERM: "dumb" }];
    for (const env of plain) {
      await t.step(`no colors with ${JSON.stringify(env)}`, async () => {
        const { written, lines } = await onTerminal(["list"], { columns: 80, env });
        expect(written).not.toContain("\x1b");
        expect(lines.at(-1)).toBe(`${all.length} tools; see one with "toolcall describe NAME"`);
      });
    }
  },
});
