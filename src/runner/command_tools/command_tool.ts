import { pathRules } from "../../base/fs/path_rules.ts";
import { CallError } from "../../base/errors.ts";
import { isObject } from "../../base/json/is_object.ts";
import { unusable } from "../config/config_file.ts";
import { configFaults } from "../config/config_faults.ts";
import type { Program } from "../program.ts";
import type { CommandRun } from "../registry/command_run.ts";
import type { Permission, PermissionKind, ToolDefinition } from "../registry/define.ts";
import { definitionTool } from "../registry/definition_tool.ts";
import { metadataOf, type RegisteredTool, type ToolMetadata } from "../registry/registered_tool.ts";
import { type CommandConfig, commandFaults, propertiesOf } from "./command_config.ts";
import { requiredPrograms } from "./required_programs.ts";
import { type Arguments, expand, expandArguments } from "./template.ts";

/** A command tool as a configuration file has it. */
export interface CommandSource {
  /** Its name. */
  name: string;
  /** Its entry, which is not checked yet. */
  entry: unknown;
  /** The configuration file. */
  path: string;
  /** The directory for a relative path of its program. */
  directory: string;
  /** Loads the code that runs programs. */
  program: Pick<Program, "commands"> | undefined;
}

/** The key of a property whose values may begin with `-`. Models do not see it. */
const ALLOW_DASH = "allowLeadingDash";

/** Makes the tool of an entry. Throws `unavailable` with every error of the entry. */
export function commandTool(source: CommandSource): RegisteredTool {
  const { name, entry, path } = source;
  const faults = [...configFaults({ commands: { [name]: entry } }), ...commandFaults(name, entry)];
  if (faults.length > 0) {
    const lines = faults.map(({ path: at, message }) => `${at}: ${message}`);
    throw unusable(path, `${lines.join("; ")}; see "toolcall config check"`);
  }
  const definition = definitionOf(entry as CommandConfig, source);
  // The sandbox of a call may close the files of this program.
  return definitionTool(definition, () => source.program?.commands());
}

/** The declaration of an invalid tool: it has no description, so it is never listed. */
export function hiddenMetadata(name: string): ToolMetadata {
  const { description: _, ...hidden } = metadataOf(
    declaration(name, { description: "", run: [name] }),
  );
  return hidden;
}

function definitionOf(config: CommandConfig, source: CommandSource): ToolDefinition {
  const { name, directory, program: running } = source;
  const [given, ...templates] = config.run;
  const program = pathRules.isPath(given) ? pathRules.resolve(directory, given) : given;
  const withDash = new Set(
    Object.entries(propertiesOf({ ...config })).filter(([, property]) =>
      isObject(property) && property[ALLOW_DASH] === true
    ).map(([key]) => key),
  );
  const { output = "text", exitCodes = [0], stdin, env = {}, needs = {} } = config;
  const runOf = (args: Arguments): CommandRun => {
    const input = stdin === undefined ? undefined : expand(stdin, args)[0];
    return {
      program,
      args: expandArguments(templates, args, withDash),
      ...(input !== undefined && { stdin: input }),
      env: Object.fromEntries(
        Object.entries(env).flatMap(([variable, template]) =>
          expand(template, args).map((value) => [variable, value])
        ),
      ),
      ...{ output, exitCodes },
    };
  };
  return {
    ...declaration(name, config),
    permissions: {
      kinds: [...new Set<PermissionKind>(["run", ...Object.keys(needs) as PermissionKind[]])],
      needs(args) {
        // Arguments that no program can take are refused before the flags are asked.
        runOf(args);
        return [
          { name: "run", command: program },
          ...Object.entries(needs).flatMap(([kind, values]) =>
            values.flatMap((value) => expand(value, args).map((each) => permission(kind, each)))
          ),
        ];
      },
    },
    async run(args, ctx) {
      if (running === undefined) throw new CallError("unavailable", `Cannot run "${name}" here`);
      return await (await running.commands()).runCommand(runOf(args), ctx);
    },
  };
}

function declaration(name: string, config: CommandConfig): ToolDefinition {
  const { title = name, description, timeoutMs, examples = [] } = config;
  return {
    ...{ name, title, description },
    category: "utility",
    sideEffect: "spawns",
    optionality: "optional",
    usageHint: "",
    requires: requiredPrograms(config),
    inputSchema: publishedSchema(config),
    examples,
    permissions: { kinds: ["run"], needs: () => [] },
    ...(timeoutMs !== undefined && { timeoutMs }),
    run: () => "",
  };
}

/** The schema for models. Unknown arguments are refused unless the entry says otherwise. */
function publishedSchema({ inputSchema = {} }: CommandConfig): Record<string, unknown> {
  const properties = Object.entries(propertiesOf({ inputSchema })).map(([key, property]) => {
    if (!isObject(property)) return [key, property];
    const { [ALLOW_DASH]: _, ...rest } = property;
    return [key, rest];
  });
  return {
    ...{ type: "object", additionalProperties: false },
    ...inputSchema,
    properties: Object.fromEntries(properties),
  };
}

function permission(kind: string, value: string): Permission {
  if (kind === "run") return { name: "run", command: value };
  if (kind === "env") return { name: "env", variable: value };
  return { name: kind as "read" | "write", path: value };
}
