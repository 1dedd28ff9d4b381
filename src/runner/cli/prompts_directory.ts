import { pathRules } from "../../base/fs/path_rules.ts";
import { UsageError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { configFiles, configPlace, workingDirectory } from "../config/config_files.ts";
import type { Grants } from "../sandbox/policy/grants.ts";
import { isDirectory } from "../sandbox/policy/paths.ts";
import type { CommandLine } from "./command.ts";

/**
 * Returns the directory of the prompts, an absolute path: that of `--prompts`, or of the
 * configuration, if the user trusts its file. Throws {@link UsageError} if the flag names no directory, and `unavailable` for an
 * unusable configuration.
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
