import { CallError, UsageError } from "../../../base/errors.ts";
import { nearest } from "../../../base/text/nearest.ts";
import { quote } from "../../../base/text/quote.ts";
import { version } from "../../../base/version.ts";
import { Registry } from "../../registry/registry.ts";
import { similarTool } from "../../registry/similar_tool.ts";
import { configFiles, configPlace } from "../../config/config_files.ts";
import type { Command, CommandLine, Process } from "../command.ts";
import { commandNames, helpText, helpTopics } from "../print/help.ts";
import { layoutFor } from "../print/style.ts";
import { writeAll } from "../streams.ts";

/** `toolcall help [COMMAND | TOOL | TOPIC]`, and `--help` with any command or tool. `--man` prints roff. */
export const helpCommand: Command = async (line, operands, process) => {
  const [name] = operands;
  if (line.options.has("man")) {
    await writeAll(process.stdout, (await import("../print/man_page.ts")).manPage());
    return 0;
  }
  const text = helpText(name, layoutFor(process.stdout));
  if (text !== undefined) {
    await writeAll(process.stdout, text);
    return 0;
  }
  const registry = await catalogueOf(line, process);
  const isTool = name!.startsWith("mcp__") || registry.has(name!);
  if (isTool) return await (await import("./describe.ts")).describeCommand(line, [name!], process);
  const near = nearest(name!, [...commandNames, ...helpTopics]) ??
    similarTool(name!, registry.names());
  const more = near === undefined ? 'see "toolcall help"' : `did you mean "toolcall help ${near}"?`;
  throw new UsageError(`No command, tool or topic is called ${quote(name!)}; ${more}`);
};

/** The catalogue with the command tools of a usable configuration. */
async function catalogueOf(...[line, process]: [CommandLine, Process]): Promise<Registry> {
  try {
    if (configFiles(configPlace(line)).length > 0) {
      return (await process.callOptions(line)).registry;
    }
  } catch (error) {
    // Help is there with any configuration.
    if (!(error instanceof CallError)) throw error;
  }
  return new Registry(process.entries);
}

/** `toolcall version` and `toolcall --version`. `--verbose` adds the parts of the program. */
export const versionCommand: Command = async (line, _operands, process) => {
  const lines = [`toolcall ${version}`];
  if (line.options.has("verbose")) {
    const { versionDetails } = await import("../print/version_details.ts");
    lines.push(...versionDetails(process.program));
  }
  await writeAll(process.stdout, `${lines.join("\n")}\n`);
  return 0;
};
