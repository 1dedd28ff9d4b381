import { hint, nearest } from "../../../base/text/nearest.ts";
import { quote } from "../../../base/text/quote.ts";
import schema from "../../../../toolcall.schema.json" with { type: "json" };
import { type Command, readFormat, refuseOperands } from "../command.ts";
import { writeAll } from "../streams.ts";
import { UsageError } from "../../../base/errors.ts";
import { resolve } from "@std/path/posix/resolve";
import { CheckedFile, type ConfigProblem } from "../../config/checked_file.ts";
import { configFiles, configPlace, ownConfigFile } from "../../config/config_files.ts";
import { bundleNameFaults, disabledFaults, nameFaults } from "../../config/name_faults.ts";
import { pointerOf, valueAt } from "../../../base/json/json_pointer.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { parseServer } from "../../mcp/client/server_config.ts";
import { callersEnvironment } from "../../sandbox/executors/environment.ts";
import { canonicalGrant } from "../../sandbox/policy/hosts.ts";
import { isThere } from "../../sandbox/policy/paths.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";

/** `toolcall config check [FILE]` and `toolcall config schema`. */
export const configCommand: Command = async (line, operands, process) => {
  const [action, ...rest] = operands;
  if (action === "check") return await checkConfig(line, rest, process);
  if (action === "prompts") {
    const { configPromptsCommand } = await import("./config_prompts.ts");
    return await configPromptsCommand(line, rest, process);
  }
  const known = `known are "config check", "config prompts" and "config schema"`;
  if (action === undefined) throw new UsageError(`What to do with it is missing; ${known}`);
  if (action !== "schema") {
    const near = nearest(action, ["check", "prompts", "schema"]);
    const all = near === undefined ? known : hint(near, "");
    throw new UsageError(`Unknown command "config" ${quote(action)}; ${all}`);
  }
  const [given] = line.options.keys();
  if (given !== undefined) throw new UsageError(`Cannot use --${given} with "config schema"`);
  refuseOperands(rest, 0);
  await writeAll(process.stdout, `${JSON.stringify(schema, null, 2)}\n`);
  return 0;
};

/** Prints all problems of the configuration, or of one file. The exit code is 1 for an error. */
const checkConfig: Command = async (line, operands, process) => {
  refuseOperands(operands, 1);
  const format = readFormat(line, ["text", "json"]);
  const [given] = operands;
  if (given !== undefined && line.options.has("config")) {
    throw new UsageError("The file to check is named twice, by --config and by an argument");
  }
  const place = configPlace(line);
  const paths = given === undefined ? configFiles(place) : [resolve(Deno.cwd(), given)];
  const files = paths.map((path) => new CheckedFile(path));
  const tools = [...process.entries];
  for (const [index, file] of files.entries()) {
    const { value } = file;
    const faults = [nameFaults(value, tools), bundleNameFaults(value, tools)];
    for (const fault of [...faults, disabledFaults(value, { files, tools })].flat()) {
      file.report(fault);
    }
    const other = files.slice(0, index).find((each) => Object.hasOwn(each.value, "mcpServers"));
    if (other === undefined) checkServers(file);
    else reportIgnoredServers(file, other);
    checkPermissions(file);
  }
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
};

function formatProblems(found: readonly { path: string; problems: ConfigProblem[] }[]): string {
  return found.flatMap(({ path, problems }) => [
    ...problems.map(({ line, column, path: pointer, message, severity }) =>
      [
        [path, line, column].filter((part) => part !== undefined).join(":"),
        ...(severity === "warning" ? [severity] : []),
        ...(pointer === "" ? [] : [pointer]),
        message,
      ].join(": ")
    ),
    ...(isUsable(problems) ? [`${path}: ok`] : []),
    // A line end in a name must not start a new line.
  ]).map((line) => `${line.replaceAll("\n", "\\n")}\n`).join("");
}

function describeMissing(places: readonly string[]): string {
  const where = places.map((path) => quote(path, 4096)).join(" and ");
  return `There is no configuration, and none is needed; it is looked for in ${where}\n`;
}

function isUsable(problems: readonly ConfigProblem[]): boolean {
  return problems.every(({ severity }) => severity === "warning");
}

function checkServers(file: CheckedFile): void {
  const servers = valueAt(file.value, ["mcpServers"]);
  if (!isObject(servers)) return;
  for (const [name, entry] of Object.entries(servers)) {
    const path = pointerOf(["mcpServers", name]);
    if (file.isFaulty(path)) continue;
    try {
      parseServer(name, entry, callersEnvironment());
    } catch (error) {
      file.report({ path, message: (error as Error).message });
    }
  }
}

function reportIgnoredServers(file: CheckedFile, { path }: CheckedFile): void {
  if (!Object.hasOwn(file.value, "mcpServers")) return;
  const message = `these servers are passed over: those of ${quote(path, 4096)} count`;
  file.report({ path: "/mcpServers", message, ofKey: true }, "warning");
}

function checkPermissions(file: CheckedFile): void {
  const sets = file.value["permissions"];
  for (const [set, kinds] of Object.entries(isObject(sets) ? sets : {})) {
    for (const kind of Object.keys(isObject(kinds) ? kinds : {})) {
      for (const side of [[], ["allow"], ["deny"]]) {
        const tokens = ["permissions", set, kind, ...side];
        const values = valueAt(file.value, tokens);
        for (const [index, value] of Array.isArray(values) ? values.entries() : []) {
          const path = pointerOf([...tokens, `${index}`]);
          if (typeof value === "string" && value !== "") checkValue(value, { file, kind, path });
        }
      }
    }
  }
}

function checkValue(
  value: string,
  { file, kind, path }: { file: CheckedFile; kind: string; path: string },
): void {
  if (kind === "net") {
    try {
      canonicalGrant(value);
    } catch (error) {
      file.report({ path, message: (error as Error).message });
    }
  }
  const isPath = kind === "read" || kind === "write" || kind === "run" && value.includes("/");
  const named = isPath ? resolve(file.directory, value) : undefined;
  if (named === undefined || isThere(named)) return;
  file.report({ path, message: `there is no ${quote(named, 4096)}` }, "warning");
}
