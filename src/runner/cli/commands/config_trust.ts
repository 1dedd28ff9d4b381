import { dirname } from "@std/path/posix/dirname";
import { basename } from "@std/path/posix/basename";
import { UsageError } from "../../../base/errors.ts";
import { pathRules } from "../../../base/fs/path_rules.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { quotePath } from "../../../base/text/quote.ts";
import { readConfigFile } from "../../config/config_file.ts";
import { projectFile } from "../../config/config_files.ts";
import { effectsOf } from "../../config/trust.ts";
import { stateDirectory } from "../../state/state_directory.ts";
import { TrustedFiles } from "../../state/trusted_files.ts";
import { isAgreed } from "../agree.ts";
import { type Command, readFormat } from "../command.ts";
import { chosenPlace } from "../config_key.ts";
import { refuseOperands } from "../operands.ts";
import { writeAll } from "../streams.ts";

/**
 * `toolcall config trust [FILE]`: prints what a file grants and starts, and trusts its text from now on.
 * At a terminal it asks first. `--clear` takes the trust back.
 */
export const configTrustCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 1);
  const format = readFormat(line, ["text", "json"]);
  const [given] = operands;
  if (given !== undefined && line.options.has("config")) {
    throw new UsageError("The file to trust is given twice: by --config and as an argument");
  }
  const place = chosenPlace(line);
  const named = given ?? place.file;
  const path = named === undefined
    ? projectFile(place)
    : realFile(pathRules.resolve(Deno.cwd(), named));
  const trusted = new TrustedFiles(stateDirectory(line.options.get("state-dir")));
  const finish = async (isTrusted: boolean, data: Record<string, unknown>, words: string) => {
    const json = { path, trusted: isTrusted, ...data };
    const text = format === "json" ? JSON.stringify(json) : escapeControls(words);
    await writeAll(process.stdout, `${text}\n`);
    return 0;
  };
  if (line.options.has("clear")) {
    const isRemoved = trusted.remove(path);
    const words = isRemoved ? "is not trusted any more" : "was not trusted";
    return await finish(false, { removed: isRemoved }, `${quotePath(path)} ${words}`);
  }
  const file = readConfigFile(path);
  const effects = effectsOf(file);
  const lines = effects.map(({ section, name, line: at, effect }) =>
    escapeControls(`${path}:${at}: ${section}.${name} ${effect}`)
  );
  if (format === "text") await writeAll(process.stdout, lines.map((each) => `${each}\n`).join(""));
  const question = {
    question: "Trust this file?",
    header: "Trust",
    yes: "Let it grant and start this",
  };
  if (process.stdin.isTerminal() && !await isAgreed(line, process, question)) {
    await writeAll(process.stderr, "toolcall: Nothing was changed\n");
    return 1;
  }
  trusted.add(path, file.text);
  const count = effects.length === 0 ? "It grants and starts nothing. " : "";
  const words = `Trusted ${quotePath(path)}. ${count}After a change, run this command again.`;
  return await finish(true, { effects }, words);
};

/** The path that calls use: its directory is real, and the file itself may be a link. */
function realFile(path: string): string {
  try {
    return `${pathRules.fromSystem(Deno.realPathSync(dirname(path)))}/${basename(path)}`;
  } catch {
    return path;
  }
}
