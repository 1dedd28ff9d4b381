import { pathRules } from "../../base/fs/path_rules.ts";
import { UsageError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { configFiles, configPlace, workingDirectory } from "../config/config_files.ts";
import type { Grants } from "../sandbox/policy/grants.ts";
import { isDirectory } from "../sandbox/policy/paths.ts";
import type { PromptDirectory } from "../mcp/server/prompt_directory.ts";
import { warn } from "./catalogue/catalogue.ts";
import type { CommandLine, Process } from "./command.ts";
import type { LongLivedOptions } from "./long_lived.ts";

/**
 * Returns the directory of the prompts, an absolute path: that of `--prompts`, or of the
 * configuration, if the user trusts its file. Throws {@link UsageError} if the flag names no
 * directory, and `unavailable` for an unusable configuration.
 */
export async function promptsDirectory(
  line: CommandLine,
  grants: Grants,
): Promise<string | undefined> {
  const given = line.options.get("prompts");
  if (given !== undefined) {
    const path = pathRules.resolve(workingDirectory(), given);
    if (!isDirectory(path)) throw new UsageError(`Invalid --prompts=${quote(given)}: no directory`);
    return path;
  }
  const place = configPlace(line);
  if (configFiles(place).length === 0) return undefined;
  const { Configuration } = await import("../config/configuration.ts");
  const section = new Configuration(place).sections("prompts", grants)
    .find(({ refusal }) => refusal === undefined);
  if (section === undefined) return undefined;
  const { directory } = section.value as { directory: string };
  return pathRules.resolve(section.directory, directory);
}

/** Returns what opens the directory of the prompts once. */
export function openPrompts(
  path: string,
  { grants }: LongLivedOptions,
  process: Process,
): () => Promise<PromptDirectory> {
  let opened: Promise<PromptDirectory> | undefined;
  return () =>
    opened ??= import("../mcp/server/prompt_directory.ts").then(({ PromptDirectory }) =>
      new PromptDirectory(path, grants, (problem) => void warn([problem], process))
    );
}
