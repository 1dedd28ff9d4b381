import { compatEntries } from "../../compat/compat_entries.ts";
import { addApiTools } from "../../api_tools/api_entries.ts";
import { addCommandTools } from "../../command_tools/command_entries.ts";
import { type ConfigSection, Configuration } from "../../config/configuration.ts";
import { configFiles, configPlace } from "../../config/config_files.ts";
import { builtInBundles } from "../../registry/bundles.ts";
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
    return {
      name,
      origin: builtIn.has(name) ? "program" : "configuration",
      description,
      tools: found.map((tool) => tool.name),
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
    ...reports.map(({ name, tools, tokens }): Cell[] => [
      { text: inline(name), style: "strong" },
      { text: String(tools.length) },
      { text: `~${tokens}` },
      { text: inline(tools.join(", ")) },
    ]),
  ];
  return tableLines(rows, page).map((each) => `${each}\n`).join("");
}
