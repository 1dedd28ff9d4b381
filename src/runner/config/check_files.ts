import { pathRules } from "../../base/fs/path_rules.ts";
import { isObject } from "../../base/json/is_object.ts";
import { pointerOf, valueAt } from "../../base/json/json_pointer.ts";
import { quote } from "../../base/text/quote.ts";
import { type ApiConfig, apiFaults } from "../api_tools/api_config.ts";
import { apiEntries } from "../api_tools/api_entries.ts";
import { apiTool } from "../api_tools/api_tool.ts";
import { commandFaults } from "../command_tools/command_config.ts";
import { commandEntries } from "../command_tools/command_entries.ts";
import { parseServer } from "../mcp/client/server_config.ts";
import { givesWay } from "../registry/gives_way.ts";
import { namesTool } from "../registry/name_pattern.ts";
import type { RegistryEntry } from "../registry/registered_tool.ts";
import { callersEnvironment } from "../sandbox/executors/environment.ts";
import { canonicalGrant } from "../sandbox/policy/hosts.ts";
import { isThere } from "../sandbox/policy/paths.ts";
import { sourceOf } from "../tools_directory/tools_directory.ts";
import type { CheckedFile, ConfigProblem } from "./checked_file.ts";
import { bundleNameFaults, disabledFaults, nameFaults } from "./name_faults.ts";

/**
 * Reports to each file its problems that go beyond the schema. The files count in this order. The
 * other tools are the built-in ones and those of the tools directory.
 */
export function checkFiles(files: readonly CheckedFile[], others: readonly RegistryEntry[]): void {
  const known = [...others, ...files.flatMap(ownTools)];
  for (const [index, file] of files.entries()) {
    const { value } = file;
    checkCommands(file, others);
    checkApis(file, others);
    const faults = [nameFaults(value, known), bundleNameFaults(value, known)];
    for (const fault of [...faults, disabledFaults(value, { files, tools: known })].flat()) {
      file.report(fault);
    }
    const other = files.slice(0, index).find((each) => Object.hasOwn(each.value, "mcpServers"));
    if (other === undefined) checkServers(file);
    else reportIgnoredServers(file, other);
    checkPermissions(file);
  }
}

/** The problems of a file as lines of text, each with its place in the file. */
export function problemLines(path: string, problems: readonly ConfigProblem[]): string[] {
  return problems.map(({ line, column, path: pointer, message, severity }) =>
    [
      [path, line, column].filter((part) => part !== undefined).join(":"),
      ...(severity === "warning" ? [severity] : []),
      ...(pointer === "" ? [] : [pointer]),
      message,
    ].join(": ")
  );
}

/** Whether calls can use a file with these problems. */
export function isUsable(problems: readonly ConfigProblem[]): boolean {
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
      reportPlainSecrets(file, { path, entry });
    } catch (error) {
      file.report({ path, message: (error as Error).message });
    }
  }
}

/** A secret in a file is read by everyone who gets the file, such as with a repository. */
function reportPlainSecrets(
  file: CheckedFile,
  { path, entry }: { path: string; entry: unknown },
): void {
  for (const key of ["clientSecret", "privateKey"]) {
    const secret = valueAt(entry, ["oauth", key]);
    if (typeof secret !== "string" || secret.includes("${")) continue;
    const message = `is a secret in plain text; use an environment variable, such as ` +
      `"\${CLIENT_SECRET}", or "${key}File"`;
    file.report({ path: `${path}/oauth/${key}`, message }, "warning");
  }
}

function ownTools({ path, directory, value }: CheckedFile): RegistryEntry[] {
  const { commands, apis } = value;
  return [
    ...(isObject(commands) ? commandEntries({ path, directory, value: commands }) : []),
    ...(isObject(apis) ? apiEntries({ directory, value: apis }) : []),
  ];
}

function checkApis(file: CheckedFile, others: readonly RegistryEntry[]): void {
  const { apis } = file.value;
  for (const [api, entry] of Object.entries(isObject(apis) ? apis : {})) {
    if (file.isFaulty(pointerOf(["apis", api]))) continue;
    const faults = apiFaults(api, entry);
    faults.forEach((fault) => file.report(fault));
    const config = entry as ApiConfig;
    const document = pathRules.resolve(file.directory, config.document);
    for (const [name, operation] of faults.length > 0 ? [] : Object.entries(config.tools)) {
      const path = pointerOf(["apis", api, "tools", name]);
      reportTaken(file, { name, path, others });
      try {
        apiTool({ name, api, operation, document, config });
      } catch (error) {
        file.report({ path, message: (error as Error).message });
      }
    }
  }
}

function checkCommands(file: CheckedFile, others: readonly RegistryEntry[]): void {
  const { commands } = file.value;
  for (const [name, entry] of Object.entries(isObject(commands) ? commands : {})) {
    const path = pointerOf(["commands", name]);
    reportTaken(file, { name, path, others });
    if (!file.isFaulty(path)) commandFaults(name, entry).forEach((fault) => file.report(fault));
  }
}

/** Reports a tool of a file whose name another tool has. Calls of the name run the other one. */
function reportTaken(
  file: CheckedFile,
  { name, path, others }: { name: string; path: string; others: readonly RegistryEntry[] },
): void {
  const other = others.find((tool) => namesTool(name, tool) && !givesWay(tool, name));
  if (other === undefined) return;
  const message = `${sourceOf(other)} takes precedence; choose another name`;
  file.report({ path, message, ofKey: true });
}

function reportIgnoredServers(file: CheckedFile, { path }: CheckedFile): void {
  if (!Object.hasOwn(file.value, "mcpServers")) return;
  const message = `these servers are ignored, because those of ${quote(path, 4096)} count`;
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
  const named = isPath ? pathRules.resolve(file.directory, value) : undefined;
  if (named === undefined || isThere(named)) return;
  file.report({ path, message: `${quote(named, 4096)} does not exist` }, "warning");
}
