import { quote } from "../../../base/text/quote.ts";
import type { Registry } from "../../registry/registry.ts";
import { ToolDisabledError, ToolNotFoundError } from "../../registry/registry_errors.ts";
import type { ToolMetadata } from "../../registry/registered_tool.ts";
import { UsageError } from "../../../base/errors.ts";
import { withServerOf, withServers } from "../../call/servers.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import type { CommandLine, Process } from "../command.ts";
import { writeAll } from "../streams.ts";

/** The tool of that name or alias. Throws {@link UsageError} that names the nearest. */
export async function findTool(registry: Registry, name: string): Promise<ToolMetadata> {
  try {
    return (await registry.get(name).load()).metadata;
  } catch (error) {
    if (error instanceof ToolDisabledError) throw new UsageError(error.message);
    if (!(error instanceof ToolNotFoundError)) throw error;
    const { hint } = await import("../../../base/text/nearest.ts");
    const { similarTool } = await import("../../registry/similar_tool.ts");
    const near = similarTool(name, registry.names());
    throw new UsageError(`Unknown tool ${quote(name)}; ${hint(near, "toolcall list")}`);
  }
}

/** The tools of these names or aliases, each one once; without a name all listed tools. */
export async function findTools(
  registry: Registry,
  names: readonly string[],
): Promise<ToolMetadata[]> {
  if (names.length === 0) return await registry.list();
  return [...new Set(await Promise.all(names.map((name) => findTool(registry, name))))];
}

/** Says on stderr what could not be listed. */
export async function warn(problems: readonly string[], { stderr }: Process): Promise<void> {
  for (const problem of problems) await writeAll(stderr, `toolcall: ${escapeControls(problem)}\n`);
}

/**
 * Calls `use` with the catalogue, including the tools of the configured MCP servers. Problems with
 * these servers are printed on stderr. With `tool`, only the server of that tool is started, and
 * the promise rejects with a `CallError` when the tool does not exist. The servers are closed
 * afterwards.
 */
export async function useCatalogue<T>(
  { line, tool }: { line: CommandLine; tool?: string },
  process: Process,
  use: (registry: Registry) => Promise<T>,
): Promise<T> {
  const options = await process.callOptions(line);
  try {
    if (tool === undefined) {
      await warn([...options.problems ?? [], ...await withServers(options)], process);
    } else await withServerOf(tool, options, new AbortController());
    return await use(options.registry);
  } finally {
    await options.servers.closeAll();
  }
}
