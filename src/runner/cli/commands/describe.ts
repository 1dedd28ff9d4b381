import { apiOf, definitionFormats } from "../../schema/definitions/formats.ts";
import type { ToolDefinition } from "../../registry/define.ts";
import type { ToolMetadata } from "../../registry/registered_tool.ts";
import type { ToolList } from "../../registry/tool_list.ts";
import { findTool, useCatalogue } from "../catalogue/catalogue.ts";
import { type Command, readFormat } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { samplesFor, withRunnableExamples } from "../print/runnable_examples.ts";
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
    throw new UsageError("Missing tool name. Usage: toolcall describe NAME");
  }
  const format = readFormat(line, ["text", "json", ...definitionFormats]);
  const { root } = configPlace(line);
  const catalogue = { line, tool: name };
  const { tool, data } = await useCatalogue(catalogue, process, async (registry) => {
    const tool = await withRunnableExamples(await findTool(registry, name), registry, root);
    if (format === "text" || format === "json") return { tool, data: tool };
    const { definitionsFor } = await import("../../schema/definitions/apis.ts");
    const api = apiOf(format);
    const samples = await samplesFor(api, [tool], { registry, cwd: root });
    const [definition] = definitionsFor(api, [tool], registry.namesForApis(), samples);
    return { tool, data: definition!.value };
  });
  const { stdout, entries } = process;
  if (format === "text") {
    await writeAll(stdout, toolPage(tool, layoutFor(stdout), await timeLimitOf(tool, entries)));
    return 0;
  }
  await writeAll(stdout, `${JSON.stringify(data)}\n`);
  return 0;
};

/** The time limit of a built-in tool. A server decides the limit of its own tools. */
async function timeLimitOf(
  { name }: ToolMetadata,
  entries: ToolList,
): Promise<Pick<ToolDefinition, "timeoutMs">> {
  const entry = [...entries].find((each) => each.name === name);
  return entry === undefined ? {} : await (await entry.load()).load();
}
