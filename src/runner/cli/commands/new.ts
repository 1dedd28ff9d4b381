import { UsageError } from "../../../base/errors.ts";
import { pathRules } from "../../../base/fs/path_rules.ts";
import { pointerOf, valueAt } from "../../../base/json/json_pointer.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { quote, quotePath } from "../../../base/text/quote.ts";
import type { CommandConfig } from "../../command_tools/command_config.ts";
import { parseTemplate } from "../../command_tools/template.ts";
import { configPlace, ownToolsDirectory } from "../../config/config_files.ts";
import { editConfig, readConfigured } from "../../config/edit_config.ts";
import { Registry } from "../../registry/registry.ts";
import type { Json } from "../../registry/services.ts";
import type { Command, CommandLine, Process } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { chosenPlace } from "../config_key.ts";
import { writeAll } from "../streams.ts";

const USAGE = "Usage: toolcall new NAME [--typescript | -- PROGRAM ARGUMENT…]";

/** The tool of a call without a program: it works on every machine. */
const SAMPLE: CommandConfig = {
  description: "Greets by name.",
  run: ["printf", "Hello, %s!\n", "{name}"],
  inputSchema: {
    type: "object",
    properties: { name: { type: "string", description: "The name to greet." } },
    required: ["name"],
  },
  examples: [
    { description: "Greet Ada", input: { name: "Ada" }, expect: "Hello, Ada!" },
    {
      description: "An option in place of a name is refused",
      input: { name: "--help" },
      expect: 'must not begin with "-"',
      isError: true,
    },
  ],
};

/**
 * `toolcall new NAME [-- PROGRAM ARGUMENT…]`: adds a command tool to a configuration file. With
 * `--typescript` it writes a tool into the tools directory.
 */
export const newCommand: Command = async (line, operands, process) => {
  const [name, ...run] = operands;
  if (name === undefined || name === "") throw new UsageError(`Missing tool name. ${USAGE}`);
  if (line.options.has("typescript")) {
    refuseOperands(operands, 1);
    if (line.options.has("command")) throw new UsageError(`--command or --typescript? ${USAGE}`);
    refuseBuiltIn(name, process);
    const text = await writeTypeScript(name, line);
    await writeAll(process.stdout, escapeControls(text));
    return 0;
  }
  const place = chosenPlace(line);
  const taken = readConfigured("/commands", place)
    .find(({ value }) => valueAt(value, [name]) !== undefined);
  if (taken !== undefined) {
    const file = quotePath(taken.file);
    throw new UsageError(`Cannot add ${quote(name)}: ${file} has it already; choose another name`);
  }
  refuseBuiltIn(name, process);
  const entry = run.length === 0 ? SAMPLE : entryOf(run as [string, ...string[]]);
  try {
    const { file } = await editConfig(
      { pointer: pointerOf(["commands", name]), value: entry as unknown as Json },
      { place, tools: [...process.entries] },
    );
    const text = `Added the tool ${quote(name)} to ${quotePath(file)}\n` +
      (run.length === 0
        ? `Run its examples: toolcall try ${name}\n`
        : `Write its description there. See what a call needs: toolcall check ${name}\n`);
    await writeAll(process.stdout, escapeControls(text));
    return 0;
  } catch (error) {
    await writeAll(process.stderr, `toolcall: ${escapeControls((error as Error).message)}\n`);
    return 1;
  }
};

function refuseBuiltIn(name: string, { entries }: Process): void {
  if (!new Registry(entries).has(name)) return;
  throw new UsageError(`Cannot add ${quote(name)}: a built-in tool has it; choose another name`);
}

/** Writes a tool into the directory of `--tools-dir`, or the user's own. Returns what to print. */
async function writeTypeScript(name: string, line: CommandLine): Promise<string> {
  const place = configPlace(line);
  const given = line.options.get("tools-dir");
  const directory = given === undefined
    ? ownToolsDirectory(place)
    : pathRules.resolve(Deno.cwd(), given);
  if (directory === undefined) {
    throw new UsageError("Cannot determine your tools directory; name one with --tools-dir=DIR");
  }
  const { writeTool } = await import("../../tools_directory/write_tool.ts");
  const path = writeTool(name, directory);
  const flag = given === undefined ? "" : ` --tools-dir=${given}`;
  return `Wrote the tool ${quote(name)} to ${quotePath(path)}\n` +
    `Run its examples: toolcall try${flag} ${name}\n`;
}

/** The tool of a command line. Each placeholder becomes an argument. */
function entryOf(run: readonly [string, ...string[]]): CommandConfig {
  const parts = run.flatMap((template) => {
    try {
      return parseTemplate(template);
    } catch (error) {
      throw new UsageError(`Cannot use the command: ${(error as Error).message}`);
    }
  });
  const named = parts.flatMap((part) => "name" in part ? [part] : []);
  const properties = named.map(({ name, then }) => [
    name,
    { type: then === undefined ? "string" : "boolean", description: `The argument ${name}.` },
  ]);
  const required = named.filter(({ then }) => then === undefined).map(({ name }) => name);
  return {
    description: `Runs ${run[0]}.`,
    run,
    inputSchema: {
      ...{ type: "object", properties: Object.fromEntries(properties) },
      required: [...new Set(required)],
    },
  };
}
