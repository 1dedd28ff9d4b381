import { pathRules } from "../../../base/fs/path_rules.ts";
import schema from "../../../../toolcall.schema.json" with { type: "json" };
import { UsageError } from "../../../base/errors.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { hint, nearest } from "../../../base/text/nearest.ts";
import { quote } from "../../../base/text/quote.ts";
import { checkFiles, isUsable, problemLines } from "../../config/check_files.ts";
import { CheckedFile, type ConfigProblem } from "../../config/checked_file.ts";
import { configFiles, ownConfigFile } from "../../config/config_files.ts";
import { readConfigured } from "../../config/edit_config.ts";
import { isThere } from "../../sandbox/policy/paths.ts";
import { type Command, readFormat } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { chosenPlace, configPointer, otherTools } from "../config_key.ts";
import { writeAll } from "../streams.ts";

/** The actions of `config`, by their names. Editing is loaded only when it is used. */
const actions: Readonly<Record<string, Command>> = {
  check: checkConfig,
  schema: printSchema,
  path: printPaths,
  get: getConfig,
  trust: async (line, operands, process) =>
    await (await import("./config_trust.ts")).configTrustCommand(line, operands, process),
  prompts: async (line, operands, process) =>
    await (await import("./config_prompts.ts")).configPromptsCommand(line, operands, process),
  set: async (line, operands, process) =>
    await (await import("./config_edit.ts")).setConfig(line, operands, process),
  edit: async (line, operands, process) =>
    await (await import("./config_edit.ts")).editConfigFile(line, operands, process),
};

/** `toolcall config get|set|edit|path|check|schema|trust|prompts`. */
export const configCommand: Command = async (line, operands, process) => {
  const [name, ...rest] = operands;
  const known = `available: ${Object.keys(actions).map((each) => `"config ${each}"`).join(", ")}`;
  if (name === undefined) throw new UsageError(`Missing subcommand; ${known}`);
  if (!Object.hasOwn(actions, name)) {
    const near = nearest(name, Object.keys(actions));
    const all = near === undefined ? known : hint(near, "");
    throw new UsageError(`Unknown subcommand ${quote(name)} of config; ${all}`);
  }
  if (line.options.has("user") && line.options.has("config")) {
    throw new UsageError("The flags --user and --config exclude each other");
  }
  return await actions[name]!(line, rest, process);
};

async function printSchema(...[line, operands, process]: Parameters<Command>): Promise<number> {
  const [given] = line.options.keys();
  if (given !== undefined) throw new UsageError(`Cannot use --${given} with "config schema"`);
  refuseOperands(operands, 0);
  await writeAll(process.stdout, `${JSON.stringify(schema, null, 2)}\n`);
  return 0;
}

/** Prints the files that a call would read, and whether they exist. */
async function printPaths(...[line, operands, process]: Parameters<Command>): Promise<number> {
  refuseOperands(operands, 0);
  const format = readFormat(line, ["text", "json"]);
  const place = chosenPlace(line);
  const own = ownConfigFile(place);
  const paths = place.file !== undefined
    ? [pathRules.resolve(Deno.cwd(), place.file)]
    : [`${place.root}/toolcall.json`, ...(own === undefined ? [] : [own])];
  const found = paths.map((path) => ({ path, exists: isThere(path) }));
  const text = found.map(({ path, exists }) => `${path}${exists ? "" : " (missing)"}\n`).join("");
  await writeAll(
    process.stdout,
    format === "json" ? `${JSON.stringify(found)}\n` : escapeControls(text),
  );
  return 0;
}

/** Prints the value of a key in each file that sets it. The exit code is 1 if none does. */
async function getConfig(...[line, operands, process]: Parameters<Command>): Promise<number> {
  refuseOperands(operands, 1);
  const format = readFormat(line, ["text", "json"]);
  const pointer = configPointer(operands[0]);
  const found = readConfigured(pointer, chosenPlace(line))
    .filter((each) => each.value !== undefined);
  const lines = found.map(({ file, value }) => {
    const text = JSON.stringify(value, null, found.length === 1 ? 2 : 0);
    return found.length === 1 ? text : `${file}: ${text}`;
  });
  const text = format === "json"
    ? `${JSON.stringify(found)}\n`
    : lines.map((each) => `${each}\n`).join("");
  await writeAll(process.stdout, text);
  if (found.length > 0) return 0;
  await writeAll(
    process.stderr,
    `toolcall: ${quote(pointer)} is not set in a configuration file\n`,
  );
  return 1;
}

/** Prints all problems of the configuration, or of one file. The exit code is 1 for an error. */
async function checkConfig(...[line, operands, process]: Parameters<Command>): Promise<number> {
  refuseOperands(operands, 1);
  const format = readFormat(line, ["text", "json"]);
  const [given] = operands;
  if (given !== undefined && line.options.has("config")) {
    throw new UsageError("The file to check is given twice: by --config and as an argument");
  }
  const place = chosenPlace(line);
  const paths = given === undefined ? configFiles(place) : [pathRules.resolve(Deno.cwd(), given)];
  const files = paths.map((path) => new CheckedFile(path));
  checkFiles(files, await otherTools(line, process));
  const found = files.map((file) => ({ path: file.path, problems: file.sorted() }));
  const isWrong = found.some(({ problems }) => !isUsable(problems));
  const lookedFor = files.length > 0 ? [] : [`${place.root}/toolcall.json`, ownConfigFile(place)]
    .filter((path) => path !== undefined);
  await writeAll(
    process.stdout,
    format === "json"
      ? `${JSON.stringify({ ok: !isWrong, files: found, lookedFor })}\n`
      : escapeControls(formatProblems(found) || describeMissing(lookedFor)),
  );
  return isWrong ? 1 : 0;
}

function formatProblems(found: readonly { path: string; problems: ConfigProblem[] }[]): string {
  return found.flatMap(({ path, problems }) => [
    ...problemLines(path, problems),
    ...(isUsable(problems) ? [`${path}: ok`] : []),
    // A line end in a name must not start a new line.
  ]).map((line) => `${line.replaceAll("\n", "\\n")}\n`).join("");
}

function describeMissing(places: readonly string[]): string {
  const where = places.map((path) => quote(path, 4096)).join(" and ");
  return `No configuration file (optional). Looked in: ${where}\n`;
}
