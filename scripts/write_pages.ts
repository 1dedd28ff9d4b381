/**
 * Writes the pages that depend on the program: `docs/tools_reference.md`, `docs/cli.md`,
 * `docs/api.md`, and the table of tools in `README.md`. With `--check` it writes nothing, and fails if
 * a page is out of date.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "@std/cli/parse-args";
import { Registry } from "../src/runner/registry/registry.ts";
import type { ToolMetadata } from "../src/runner/registry/registered_tool.ts";
import { needsInBrief } from "../src/runner/cli/commands/list.ts";
import { commandNames, helpText } from "../src/runner/cli/print/help.ts";
import { plainLayout } from "../src/runner/cli/print/style.ts";
import { withRunnableExamples } from "../src/runner/cli/print/runnable_examples.ts";
import { toolPage } from "../src/runner/cli/print/tool_page.ts";
import { entries } from "../tools/_generated/index.ts";
import { apiPage } from "./api_page.ts";

const HELP = `Usage: deno run -A scripts/write_pages.ts [--check]

Writes docs/tools_reference.md, docs/cli.md, docs/api.md and the table of tools in README.md.

  --check  write nothing, and fail if a page is out of date`;

const root = fileURLToPath(new URL("../", import.meta.url));
const [TABLE_START, TABLE_END] = [
  '<!-- This table is written by "deno task generate". -->',
  "<!-- The end of the table. -->",
];
/** The directory in which the printed examples run. */
const WORK = "/home/me/project";

const registry = new Registry(entries);
const tools = (await registry.list()).filter(({ description }) => description !== undefined);

/** The first sentence of a description, which summarizes the tool. */
function firstSentence({ description = "" }: ToolMetadata): string {
  return `${description.split(/\.(?:\s|$)/)[0]}.`;
}

/** A table in Markdown. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function toolTable(): string {
  const rows = tools.map((tool) => [
    `\`${tool.name}\``,
    firstSentence(tool),
    `\`${needsInBrief(tool)}\``,
  ]);
  return table(["tool", "what it does", "can need"], rows);
}

async function toolsPage(): Promise<string> {
  const sections: string[] = [];
  for (const tool of tools) {
    const { timeoutMs } = await (await registry.get(tool.name).load()).load();
    const page = toolPage(
      await withRunnableExamples(tool, registry, WORK),
      plainLayout,
      timeoutMs === undefined ? {} : { timeoutMs },
    );
    sections.push(`## ${tool.name}\n\n\`\`\`text\n${page.trimEnd()}\n\`\`\`\n`);
  }
  return `# Tools\n\nThis is the text that \`toolcall describe NAME\` prints. "deno task generate" ` +
    `writes this page.\n\n${sections.join("\n")}`;
}

function commandPage(): string {
  const topics = ["permissions", "formats", "exit-codes"];
  const sections = [undefined, ...commandNames, ...topics].map((name) =>
    `## ${
      name === undefined ? "toolcall" : topics.includes(name) ? name : `toolcall ${name}`
    }\n\n\`\`\`text\n${helpText(name)!.trimEnd()}\n\`\`\`\n`
  );
  return `# Command line\n\nThis is the text that \`--help\` prints. "deno task generate" writes this ` +
    `page.\n\n${sections.join("\n")}`;
}

/** The text in the format of the repository. */
async function formatted(text: string): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--quiet", "--ext=md", "-"],
    cwd: root,
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  const { success, stdout } = await child.output();
  if (!success) throw new Error("Cannot format a page");
  return new TextDecoder().decode(stdout);
}

async function readmeText(): Promise<string> {
  const readme = Deno.readTextFileSync(`${root}README.md`);
  const [start, end] = [readme.indexOf(TABLE_START), readme.indexOf(TABLE_END)];
  if (start < 0 || end < start) throw new Error("README.md has no place for the table of tools");
  const before = readme.slice(0, start + TABLE_START.length);
  return await formatted(`${before}\n\n${toolTable()}\n\n${readme.slice(end)}`);
}

const flags = parseArgs(Deno.args, { boolean: ["check", "help"], alias: { help: "h" } });
const say = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
if (flags.help) {
  say(HELP);
} else {
  const pages: [name: string, text: string][] = [
    ["docs/tools_reference.md", await formatted(await toolsPage())],
    ["docs/cli.md", await formatted(commandPage())],
    ["docs/api.md", await formatted(await apiPage())],
    ["README.md", await readmeText()],
  ];
  for (const [name, text] of pages) {
    const path = `${root}${name}`;
    const current = await Deno.readTextFile(path).catch(() => undefined);
    if (current === text) continue;
    if (flags.check) {
      say(`${name} is out of date. Write it again: "deno task generate"`);
      Deno.exit(1);
    }
    Deno.writeTextFileSync(path, text);
    say(`Wrote ${name}`);
  }
}
