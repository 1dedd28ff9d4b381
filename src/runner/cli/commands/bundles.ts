import { compatEntries } from "../../compat/compat_entries.ts";
import { addApiTools } from "../../api_tools/api_entries.ts";
import { addCommandTools } from "../../command_tools/command_entries.ts";
import { type ConfigSection, Configuration } from "../../config/configuration.ts";
import { configFiles, configPlace, toolsDirectory } from "../../config/config_files.ts";
import { addUsableTools } from "../../tools_directory/usable_tools.ts";
import { builtInBundles } from "../../registry/bundles.ts";
import type { ToolMetadata } from "../../registry/registered_tool.ts";
import { namesTool } from "../../registry/name_pattern.ts";
import { Registry } from "../../registry/registry.ts";
import { allBundles } from "../catalogue/tool_filter.ts";
import { catalogueSize } from "../catalogue/catalogue_size.ts";
import { type Command, readFormat } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { inline, layoutFor, type TextLayout } from "../print/style.ts";
import { type Cell, tableLines } from "../print/table.ts";
import { writeAll } from "../streams.ts";

/** A bundle, its tools and the size of their definitions. */
interface BundleReport {
  /** Its name, for `--bundle=NAME`. */
  name: string;
  /** Whether the program has it, or a configuration file. */
  origin: "program" | "configuration";
  /** The purpose. */
  description: string;
  /** The names of its tools. */
  tools: string[];
  /** The names of those that it requires. It cannot be used without them. */
  required: string[];
  /** The names of the others. It omits those that cannot be used. */
  optional: string[];
  /** The characters of the definitions that a model gets. */
  characters: number;
  /** An estimate of the tokens: a token has about four characters. */
  tokens: number;
}

/** `toolcall bundles`: the bundles of the program and of the configuration. */
export const bundlesCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 0);
  const format = readFormat(line, ["text", "json"]);
  const registry = new Registry(process.entries);
  const place = configPlace(line);
  await addUsableTools(registry, toolsDirectory(place, undefined), process.program);
  const { grants } = line;
  let sections: ConfigSection[] = [];
  if (configFiles(place).length > 0) {
    const configuration = new Configuration(place, () => registry.declared());
    const commands = configuration.sections("commands", grants).reverse();
    addCommandTools(registry, commands, process.program);
    addApiTools(registry, configuration.sections("apis", grants).reverse(), grants);
    sections = configuration.sections("bundles", grants);
  }
  const tools = registry.all();
  registry.registerLater(() => compatEntries(registry));
  const compat = builtInBundles(tools).find(({ adds }) => adds === "compat");
  registry.offer("compat", compat?.optional);
  const listed = await registry.list();
  const builtIn = new Set(builtInBundles(tools).map(({ name }) => name));
  const reports = allBundles(tools, sections).map((bundle): BundleReport => {
    const { name, description, required, optional, adds } = bundle;
    const patterns = [...required, ...optional];
    const found = listed.filter((tool) => {
      const isNamed = patterns.some((pattern) => namesTool(pattern, tool));
      return adds === undefined
        ? isNamed && tool.offered === undefined
        : isNamed || tool.offered === adds;
    });
    const isRequired = (tool: ToolMetadata) => required.some((each) => namesTool(each, tool));
    return {
      name,
      origin: builtIn.has(name) ? "program" : "configuration",
      description,
      tools: found.map((tool) => tool.name),
      required: found.filter(isRequired).map((tool) => tool.name),
      optional: found.filter((tool) => !isRequired(tool)).map((tool) => tool.name),
      ...catalogueSize(found, registry),
    };
  });
  await writeAll(
    process.stdout,
    format === "json" ? `${JSON.stringify(reports)}\n` : formatTable(reports, process),
  );
  return 0;
};

function formatTable(reports: readonly BundleReport[], { stdout }: Parameters<Command>[2]): string {
  const page: TextLayout = layoutFor(stdout);
  const headers = ["BUNDLE", "TOOLS", "TOKENS", "NAMES"];
  const rows = [
    headers.map((text): Cell => ({ text, style: "faint" })),
    ...reports.map(({ name, tools, tokens, required, optional }): Cell[] => [
      { text: inline(name), style: "strong" },
      { text: String(tools.length) },
      { text: `~${tokens}` },
      { text: inline(namesIn(required, optional)) },
    ]),
  ];
  return tableLines(rows, page).map((each) => `${each}\n`).join("");
}

function namesIn(required: readonly string[], optional: readonly string[]): string {
  const parts = [
    required.join(", "),
    optional.length === 0 ? "" : `optional: ${optional.join(", ")}`,
  ];
  return parts.filter((part) => part !== "").join("; ");
}
