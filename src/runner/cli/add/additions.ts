/** The tools that `toolcall add` can add to the configuration. */

import { basename } from "@std/path/posix/basename";
import { dirname } from "@std/path/posix/dirname";
import { UsageError } from "../../../base/errors.ts";
import { atomicWrite } from "../../../base/fs/atomic_write.ts";
import { neededHost } from "../../../base/host.ts";
import { pointerOf, valueAt } from "../../../base/json/json_pointer.ts";
import { plural } from "../../../base/text/amounts.ts";
import { quote, quotePath } from "../../../base/text/quote.ts";
import { importApi } from "../../api_tools/import_api.ts";
import { editConfig, readConfigured } from "../../config/edit_config.ts";
import { commandFaults } from "../../command_tools/command_config.ts";
import { configFaults } from "../../config/config_faults.ts";
import { configFiles, type ConfigPlace } from "../../config/config_files.ts";
import type { RegistryEntry } from "../../registry/registered_tool.ts";
import type { Json } from "../../registry/services.ts";
import type { CommandLine } from "../command.ts";

/** The most tools that are printed. */
const MAX_SHOWN = 40;

/** Something that can be added. */
export interface ToolAddition {
  /** Lines that describe it and the permissions that it would need. */
  lines: readonly string[];
  /** Adds it, and returns what to say. */
  add(): Promise<readonly string[]>;
}

/** The options of an addition. */
export interface AdditionOptions {
  /** The name that the user has given. */
  name: string | undefined;
  /** The command line. */
  line: CommandLine;
  /** The place of the configuration. */
  place: ConfigPlace;
  /** The built-in tools. */
  tools: readonly RegistryEntry[];
}

/** The tools of an OpenAPI document. Throws for a document that cannot be used. */
export function apiAddition(
  document: Record<string, unknown>,
  { name: given, line, from, url, ...where }: AdditionOptions & { from: string; url?: URL },
): ToolAddition {
  const server = line.options.get("server");
  const { name, config, omitted, withoutCredential } = readApi();
  refuseTaken("apis", name, where.place);
  const host = neededHost(new URL(config.server));
  const directory = dirname(configFiles(where.place)[0] ?? `${where.place.root}/toolcall.json`);
  const document_ = `toolcall/apis/${name}.json`;
  const tools = Object.entries(config.tools);
  return {
    lines: [
      `API ${quote(name)}: ${plural(tools.length, "tool")}`,
      ...tools.slice(0, MAX_SHOWN).map(([tool, operation]) => `  ${tool}  ${operation}`),
      ...(tools.length > MAX_SHOWN ? [`  and ${tools.length - MAX_SHOWN} more`] : []),
      ...omitted.map(({ operation, why }) => `Omitted ${operation}: ${why}`),
      `Permission: --allow-net=${host}, and no other host. Redirects are not followed.`,
      ...Object.entries(config.credentials ?? {}).map(([scheme, variable]) =>
        `Credential ${quote(scheme)}: the value of the environment variable ${variable}`
      ),
      ...(withoutCredential.length === 0 ? [] : [
        `Without a credential: ${withoutCredential.slice(0, MAX_SHOWN).join(", ")}`,
      ]),
      `Files: ${quotePath(`${directory}/toolcall.json`)} and ${
        quotePath(`${directory}/${document_}`)
      }`,
    ],
    async add() {
      const path = `${directory}/${document_}`;
      Deno.mkdirSync(dirname(path), { recursive: true });
      const bytes = new TextEncoder().encode(`${JSON.stringify(document, null, 2)}\n`);
      atomicWrite({ path, given: path, action: "write" }, { bytes });
      const value = { document: document_, ...config };
      const { file } = await edit(["apis", name], value, where);
      const [first] = tools[0]!;
      return [
        `Added the API ${quote(name)} to ${quotePath(file)}`,
        `See what a tool takes: toolcall describe ${first}`,
        `Call it: toolcall --allow-net=${host} ${first}`,
      ];
    },
  };

  function readApi() {
    try {
      return importApi(document, {
        ...(given !== undefined && { name: given }),
        ...(server !== undefined && { server }),
        ...(url !== undefined && { base: url }),
      });
    } catch (error) {
      throw new Error(`Cannot add the API of ${quote(from, 400)}: ${(error as Error).message}`);
    }
  }
}

/** The command tool of a file. */
export function commandAddition(
  entry: Record<string, unknown>,
  { name: given, file, ...where }: Omit<AdditionOptions, "line"> & { file: string },
): ToolAddition {
  const name = given ?? basename(file).replace(/\.\w+$/, "");
  refuseTaken("commands", name, where.place);
  refuseBuiltIn(name, where.tools);
  const faults = [...configFaults({ commands: { [name]: entry } }), ...commandFaults(name, entry)];
  if (faults.length > 0) {
    const root = pointerOf(["commands", name]);
    const lines = faults.map(({ path, message }) => `${path.slice(root.length)}: ${message}`);
    throw new Error(`Cannot add ${quotePath(file)}: ${lines.join("; ").replace(/^: /, "")}`);
  }
  return {
    lines: describeCommandTool(name, entry),
    async add() {
      const { file } = await edit(["commands", name], entry, where);
      return [
        `Added the tool ${quote(name)} to ${quotePath(file)}`,
        `See what a call needs: toolcall check ${name}`,
      ];
    },
  };
}

/** A command tool, and what it would be allowed. */
export function describeCommandTool(name: string, entry: Record<string, unknown>): string[] {
  const run = Array.isArray(entry["run"]) ? entry["run"] : [];
  const needs = Object.entries(entry["needs"] ?? {}).map(([kind, values]) =>
    `--allow-${kind}=${Array.isArray(values) ? values.join(",") : values}`
  );
  return [
    `Command tool ${quote(name)}: ${String(entry["description"] ?? "no description")}`,
    `Runs: ${JSON.stringify(run)}`,
    `Permissions: ${[`--allow-run=${run[0]}`, ...needs].join(" ")}`,
    "It runs in the sandbox of the flags of each call.",
  ];
}

/** Sets a value in the configuration. */
export async function edit(
  tokens: readonly string[],
  value: unknown,
  where: Pick<AdditionOptions, "place" | "tools">,
): Promise<{ file: string }> {
  return await editConfig({ pointer: pointerOf([...tokens]), value: value as Json }, where);
}

/** Throws {@link UsageError} if a built-in tool has that name. */
export function refuseBuiltIn(name: string, tools: readonly RegistryEntry[]): void {
  if (!tools.some((tool) => tool.name === name || tool.aliases.includes(name))) return;
  throw new UsageError(`Cannot add ${quote(name)}: a built-in tool has it; choose another name`);
}

/** Throws {@link UsageError} if a file has that name in the section already. */
export function refuseTaken(section: string, name: string, place: ConfigPlace): void {
  const taken = readConfigured(`/${section}`, place)
    .find(({ value }) => valueAt(value, [name]) !== undefined);
  if (taken === undefined) return;
  const command = `toolcall config set ${pointerOf([section, name])} null`;
  throw new UsageError(
    `Cannot add ${quote(name)}: ${quotePath(taken.file)} has it already; give another NAME, or ` +
      `remove it with "${command}"`,
  );
}
