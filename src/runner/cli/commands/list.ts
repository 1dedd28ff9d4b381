import { wrap } from "../../../base/terminal/wrap.ts";
import { apis, asToolList, definitionsFor } from "../../schema/definitions/apis.ts";
import { lint, type LintFinding } from "../../schema/definitions/lint.ts";
import type { ToolMetadata } from "../../registry/registered_tool.ts";
import type { Registry } from "../../registry/registry.ts";
import { useCatalogue } from "../catalogue/catalogue.ts";
import { parseListFilter } from "../catalogue/list_filter.ts";
import { type Command, unknownFormat } from "../command.ts";
import { effectStyle, inline, layoutFor, type TextLayout } from "../print/style.ts";
import { examplesOf } from "../print/runnable_examples.ts";
import { configPlace } from "../../config/config_files.ts";
import { writeAll } from "../streams.ts";
import { type Cell, tableLines } from "../print/table.ts";

/** `toolcall list [NAME…]`: the catalogue, or part of it, as a table or for programs. */
export const listCommand: Command = async (line, operands, process) => {
  const format = line.options.get("format") ?? "text";
  const isLint = line.options.has("lint");
  const known = isLint ? ["text", "json"] : ["text", "json", ...apis];
  if (!known.includes(format)) throw unknownFormat(format, known);
  const choice = await parseListFilter(line.options);
  const { root } = configPlace(line);
  const { tools, names } = await useCatalogue({ line }, process, async (registry) => ({
    tools: format === "json" && !isLint
      ? await addExamples(registry, await choice.from(registry, operands), root)
      : await choice.from(registry, operands),
    names: registry.namesForApis(),
  }));
  if (tools.length === 0 && format === "text") {
    await writeAll(process.stderr, `toolcall: ${describeNothingFound(choice.words, operands)}\n`);
    return 0;
  }
  if (isLint) {
    const findings = lint(tools, names);
    await writeAll(process.stdout, formatFindings(findings, format));
    return findings.length === 0 ? 0 : 1;
  }
  const text = format === "text"
    ? formatTable(tools, layoutFor(process.stdout))
    : `${JSON.stringify(dataOf(tools, { format, names }))}\n`;
  await writeAll(process.stdout, text);
  return 0;
};

/** The tools with their examples as they can be run. */
function addExamples(
  registry: Registry,
  tools: readonly ToolMetadata[],
  root: string,
): Promise<ToolMetadata[]> {
  return Promise.all(tools.map(async (tool) => ({
    ...tool,
    examples: await examplesOf(registry, tool, root),
  })));
}

function describeNothingFound(words: string, names: readonly string[]): string {
  if (words === "") return "There is no tool to list";
  const among = names.length === 0 ? "" : ` among ${names.map(inline).join(", ")}`;
  return `No tool is found by ${words}${among}`;
}

function dataOf(
  tools: ToolMetadata[],
  { format, names }: { format: string; names: ReadonlyMap<string, string> },
): unknown {
  const api = apis.find((each) => each === format);
  return api === undefined ? tools : asToolList(api, definitionsFor(api, tools, names));
}

function formatFindings(findings: readonly LintFinding[], format: string): string {
  if (format === "json") return `${JSON.stringify(findings)}\n`;
  return findings.map(({ api, tool, problem }) =>
    `${inline(`${api}: ${tool === "" ? "" : `${tool}: `}${problem}`)}\n`
  ).join("");
}

function formatTable(tools: readonly ToolMetadata[], page: TextLayout): string {
  const headers = ["NAME", "CATEGORY", "EFFECT", "OPTIONALITY", "TITLE"];
  const rows = [
    headers.map((text): Cell => ({ text, style: "faint" })),
    ...tools.map(({ name, category, sideEffect, optionality, title }): Cell[] => [
      { text: inline(name), style: "strong" },
      { text: category },
      { text: sideEffect, style: effectStyle(sideEffect) },
      { text: optionality },
      { text: inline(title) },
    ]),
  ];
  const lines = tableLines(rows, page);
  if (page.width !== undefined) {
    const count = tools.length === 1 ? "1 tool" : `${tools.length} tools`;
    const says = `${count}; see one with "toolcall describe NAME"`;
    lines.push(...wrap(says, page.width).map((each) => page.paint(each, "faint")));
  }
  return lines.map((each) => `${each}\n`).join("");
}
