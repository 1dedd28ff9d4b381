import { wrap } from "../../../base/terminal/wrap.ts";
import {
  apiOf,
  type DefinitionFormat,
  definitionFormats,
} from "../../schema/definitions/formats.ts";
import type { LintFinding } from "../../schema/definitions/lint.ts";
import type { Registry } from "../../registry/registry.ts";
import type { ToolMetadata } from "../../registry/registered_tool.ts";
import { UsageError } from "../../../base/errors.ts";
import { useCatalogue } from "../catalogue/catalogue.ts";
import { parseListFilter } from "../catalogue/list_filter.ts";
import { type Command, readFormat } from "../command.ts";
import { permissionFlags } from "../flag.ts";
import { effectStyles, inline, layoutFor, type TextLayout } from "../print/style.ts";
import { configPlace } from "../../config/config_files.ts";
import { writeAll } from "../streams.ts";
import { type Cell, tableLines } from "../print/table.ts";

/** `toolcall list [NAME…]`: the catalogue, or part of it, as a table or for programs. */
export const listCommand: Command = async (line, operands, process) => {
  const isLint = line.options.has("lint");
  const format = readFormat(line, ["text", "json", ...(isLint ? [] : definitionFormats)]);
  const choice = parseListFilter(line.options);
  const { root } = configPlace(line);
  if (line.options.has("vendor")) {
    const { listVendorTools } = await import("./list_vendor_tools.ts");
    return await listVendorTools(line, operands, process);
  }
  if (line.options.has("memory-dir")) throw new UsageError("--memory-dir needs --vendor here");
  const { tools, data, findings } = await useCatalogue({ line }, process, async (registry) => {
    const tools = await choice.from(registry, operands);
    if (isLint) {
      const { lint } = await import("../../schema/definitions/lint.ts");
      return { tools, findings: lint(tools, registry.namesForApis()) };
    }
    return { tools, data: await dataOf(tools, { format, registry, root }) };
  });
  const { stdout, stderr } = process;
  if (tools.length === 0 && format === "text") {
    await writeAll(stderr, `toolcall: ${describeNothingFound(choice.words, operands)}\n`);
    return 0;
  }
  if (findings !== undefined) {
    await writeAll(stdout, formatFindings(findings, format));
    return findings.length === 0 ? 0 : 1;
  }
  if (format === "text") {
    await writeAll(stdout, formatTable(tools, layoutFor(stdout)));
    return 0;
  }
  await writeAll(stdout, `${JSON.stringify(data)}\n`);
  return 0;
};

/** The tools as data in a format. Undefined for text. */
async function dataOf(
  tools: readonly ToolMetadata[],
  { format, registry, root }: {
    format: "text" | "json" | DefinitionFormat;
    registry: Registry;
    root: string;
  },
): Promise<unknown> {
  if (format === "text") return undefined;
  if (format === "json") {
    const { withRunnableExamples } = await import("../print/runnable_examples.ts");
    return await Promise.all(tools.map((tool) => withRunnableExamples(tool, registry, root)));
  }
  const { asToolList, definitionsFor } = await import("../../schema/definitions/apis.ts");
  const api = apiOf(format);
  const { samplesFor } = await import("../print/runnable_examples.ts");
  const samples = await samplesFor(api, tools, { registry, cwd: root });
  return asToolList(api, definitionsFor(api, tools, registry.namesForApis(), samples));
}

function describeNothingFound(words: string, names: readonly string[]): string {
  if (words === "") return "No tool was selected";
  const among = names.length === 0 ? "" : ` among ${names.map(inline).join(", ")}`;
  return `No tool matches ${words}${among}`;
}

function formatFindings(findings: readonly LintFinding[], format: string): string {
  if (format === "json") return `${JSON.stringify(findings)}\n`;
  return findings.map(({ api, tool, problem }) =>
    `${inline(`${api}: ${tool === "" ? "" : `${tool}: `}${problem}`)}\n`
  ).join("");
}

/** On a narrower terminal the column OPTIONALITY is left out. */
const MIN_WIDTH_FOR_OPTIONALITY = 120;

function formatTable(tools: readonly ToolMetadata[], page: TextLayout): string {
  const isWide = page.width === undefined || page.width >= MIN_WIDTH_FOR_OPTIONALITY;
  const wide = (text: string): Cell[] => isWide ? [{ text }] : [];
  const rows = [
    ["NAME", "CATEGORY", "EFFECT", ...(isWide ? ["OPTIONALITY"] : []), "NEEDS", "TITLE"]
      .map((text): Cell => ({ text, style: "faint" })),
    ...tools.map((tool): Cell[] => [
      { text: inline(tool.name), style: "strong" },
      { text: tool.category },
      { text: tool.sideEffect, style: effectStyles[tool.sideEffect] },
      ...wide(tool.optionality),
      { text: needsInBrief(tool) },
      { text: inline(tool.title) },
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

/** The permissions that calls of a tool can need: letters of flags, and the programs. */
export function needsInBrief({ permissionKinds, requires }: ToolMetadata): string {
  const letters = permissionKinds.map((kind) =>
    permissionFlags.find(({ permission }) =>
      permission?.kind === kind && permission.effect === "allow"
    )?.short
  ).filter((letter) => letter !== undefined).join("");
  const programs = requires.filter((name) => /^[a-z]+$/.test(name) && name !== "state");
  const run = permissionKinds.includes("run") ? [["run", ...programs].join(" ")] : [];
  const mcp = permissionKinds.includes("mcp") ? ["mcp"] : [];
  const all = [...(letters === "" ? [] : [`-${letters}`]), ...run, ...mcp];
  return all.length === 0 ? "-" : inline(all.join(", "));
}
