import { withServerOf, withServers } from "../../call/servers.ts";
import type { Registry } from "../../registry/registry.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import type { Process } from "../command.ts";
import type { CommandLine } from "../parse.ts";
import { settingsOf } from "../settings.ts";
import { writeAll } from "../streams.ts";

/** Says on stderr what could not be listed. */
export async function tellOf(problems: readonly string[], { stderr }: Process): Promise<void> {
  for (const problem of problems) await writeAll(stderr, `toolcall: ${escapeControls(problem)}\n`);
}

/**
 * Gives `use` the catalogue with the tools of the configured MCP servers in it, and says on
 * stderr what of them cannot be listed; for one tool, with those of its server, and rejects
 * with a `CallError` when that has none. Programs that were started for it end afterwards.
 */
export async function useCatalogue<T>(
  { line, tool }: { line: CommandLine; tool?: string },
  process: Process,
  use: (registry: Registry) => Promise<T>,
): Promise<T> {
  const settings = await settingsOf(line, process);
  try {
    if (tool === undefined) await tellOf(await withServers(settings), process);
    else await withServerOf(tool, settings, new AbortController());
    return await use(settings.registry);
  } finally {
    await settings.servers.close();
  }
}
