import { apis, definitionsFor } from "../../schema/definitions/apis.ts";
import type { ToolMetadata } from "../../registry/registered_tool.ts";
import type { ToolList } from "../../registry/tool_list.ts";
import { findTool, useCatalogue } from "../catalogue/catalogue.ts";
import { type Command, refuseOperands, unknownFormat } from "../command.ts";
import { examplesOf } from "../print/runnable_examples.ts";
import { configPlace } from "../../config/config_files.ts";
import { writeAll } from "../streams.ts";
import { layoutFor } from "../print/style.ts";
import { toolPage } from "../print/tool_page.ts";
import { UsageError } from "../../../base/errors.ts";

/** `toolcall describe NAME`: prints one tool as text or as data. */
export const describeCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 1);
  const [name] = operands;
  if (name === undefined) {
    throw new UsageError("The tool's name is missing: toolcall describe NAME");
  }
  const format = line.options.get("format") ?? "text";
  const known = ["text", "json", ...apis];
  if (!known.includes(format)) throw unknownFormat(format, known);
  const { tool, names, examples } = await useCatalogue(
    { line, tool: name },
    process,
    async (registry) => {
      const tool = await findTool(registry, name);
      const examples = await examplesOf(registry, tool, configPlace(line).root);
      return { tool, names: registry.namesForApis(), examples };
    },
  );
  const text = format === "text"
    ? toolPage(tool, layoutFor(process.stdout), {
      examples,
      timeoutMs: await timeLimitOf(tool, process.entries),
    })
    : `${JSON.stringify(dataOf({ ...tool, examples }, { format, names }))}\n`;
  await writeAll(process.stdout, text);
  return 0;
};

function dataOf(
  tool: ToolMetadata,
  { format, names }: { format: string; names: ReadonlyMap<string, string> },
): unknown {
  const api = apis.find((each) => each === format);
  return api === undefined ? tool : definitionsFor(api, [tool], names)[0]!.value;
}

/** The time limit of a built-in tool. A server decides the limit of its own tools. */
async function timeLimitOf({ name }: ToolMetadata, entries: ToolList) {
  const entry = [...entries].find((each) => each.name === name);
  return entry === undefined ? undefined : (await (await entry.load()).load()).timeoutMs;
}
