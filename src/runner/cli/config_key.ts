import { CallError, UsageError } from "../../base/errors.ts";
import { pointerOf } from "../../base/json/json_pointer.ts";
import { quote } from "../../base/text/quote.ts";
import {
  type ConfigPlace,
  configPlace,
  ownConfigFile,
  toolsDirectory,
} from "../config/config_files.ts";
import type { RegistryEntry } from "../registry/registered_tool.ts";
import { settings } from "../registry/setting_definitions.ts";
import type { Process } from "./command.ts";

/** Where `config` looks for files. With `--user`, the user's own file is the only one. */
export function chosenPlace(line: { options: ReadonlyMap<string, string> }): ConfigPlace {
  const place = configPlace(line);
  if (!line.options.has("user")) return place;
  const file = ownConfigFile(place);
  if (file !== undefined) return { ...place, file, isEmpty: false };
  throw new CallError(
    "unavailable",
    "Cannot find the user's configuration: neither XDG_CONFIG_HOME nor HOME is an absolute " +
      "path; give a file with --config=FILE",
  );
}

/** The tools that no configuration file declares: the built-in ones and those of the tools directory. */
export async function otherTools(
  line: { options: ReadonlyMap<string, string> },
  { entries, program }: Pick<Process, "entries" | "program">,
): Promise<RegistryEntry[]> {
  const directory = toolsDirectory(configPlace(line), undefined);
  if (directory === undefined) return [...entries];
  const { toolsOfDirectory } = await import("../tools_directory/tools_directory.ts");
  return [...entries, ...await toolsOfDirectory(directory, program)];
}

/**
 * The JSON pointer of a key on the command line: a pointer such as `/tools/disabled`, or names
 * with dots between them, such as `tools.disabled`. Throws {@link UsageError}.
 */
export function configPointer(key: string | undefined): string {
  if (key === undefined || key === "") {
    throw new UsageError("Missing key, such as tools.disabled or /policy/fs.read/timeoutMs");
  }
  if (key.startsWith("/")) return key;
  if (settings.some(({ name }) => name === key)) {
    throw new UsageError(
      `${quote(key)} is not a key of toolcall.json but a setting of the tool Config: ` +
        `toolcall -A Config '{"setting":"${key}"}'`,
    );
  }
  return pointerOf(key.split("."));
}
