import { basename } from "@std/path/posix/basename";
import { isObject } from "../../base/json/is_object.ts";
import { pointerOf } from "../../base/json/json_pointer.ts";
import { LOADING_VARIABLES } from "../../base/loading_variables.ts";
import { quote } from "../../base/text/quote.ts";
import type { ConfigFault } from "../config/config_faults.ts";
import type { OutputForm } from "../registry/command_run.ts";
import type { Example } from "../registry/define.ts";
import { namesIn } from "./template.ts";

/** A command tool in a configuration file, valid by its JSON Schema. */
export interface CommandConfig {
  /** The description for models. */
  description: string;
  /** The title for people. The default is the name. */
  title?: string;
  /** The program and the templates of its arguments. */
  run: readonly [string, ...string[]];
  /** The JSON Schema of the arguments. */
  inputSchema?: Record<string, unknown>;
  /** Permissions besides the program of `run`: templates by kind. */
  needs?: Partial<Record<CommandKind, readonly string[]>>;
  /** The template of the program's stdin. */
  stdin?: string;
  /** Templates of additional environment variables. */
  env?: Readonly<Record<string, string>>;
  /** The form of stdout. The default is `text`. */
  output?: OutputForm;
  /** The exit codes of success. The default is 0. */
  exitCodes?: readonly number[];
  /** The time limit, in milliseconds. */
  timeoutMs?: number;
  /** Sample calls. */
  examples?: readonly Example[];
}

/** The kinds of permission that a command tool can declare. */
export type CommandKind = "read" | "write" | "run" | "env";

/** Programs that run a string after an option such as `-c`. */
const INTERPRETERS =
  /^(?:(?:ba|da|z|k|mk|a|fi|c|tc|pw)?sh|busybox|python[\d.]*|perl|ruby|node|deno|bun|php|lua|osascript|tclsh)$/;

/** An option whose next argument an interpreter runs, such as `-c`, `-lc`, `-e` and `--eval`. */
const SCRIPT_OPTION = /^(?:-[A-Za-z]*[cepr]|--(?:eval|print|command)|eval)$/;

/** The types of JSON Schema. */
const SCHEMA_TYPES: readonly unknown[] = [
  ...["string", "number", "integer", "boolean", "object", "array", "null"],
];

/** The errors in command tools that the schema of the configuration cannot find. */
export function commandFaults(name: string, entry: unknown): ConfigFault[] {
  if (!isObject(entry)) return [];
  const at = (...tokens: string[]) => pointerOf(["commands", name, ...tokens]);
  const { run, stdin, env, needs } = entry as Partial<CommandConfig>;
  const properties = propertiesOf(entry);
  const faults: ConfigFault[] = schemaFaults(entry["inputSchema"], at("inputSchema"));
  const check = (template: unknown, path: string): string[] => {
    if (typeof template !== "string") return [];
    try {
      const names = namesIn(template);
      const unknown = names.find((each) => !Object.hasOwn(properties, each));
      if (unknown === undefined) return names;
      const message = `${quote(unknown)} is not in the properties of "inputSchema"`;
      faults.push({ path, message });
    } catch (error) {
      faults.push({ path, message: (error as Error).message });
    }
    return [];
  };
  let [isInterpreter, isScript] = [false, false];
  for (const [index, template] of (Array.isArray(run) ? run : []).entries()) {
    const path = at("run", `${index}`);
    const names = check(template, path);
    const why = typeof template === "string" && names.length > 0
      ? argumentFault(template, { index, isScript })
      : undefined;
    if (why !== undefined) faults.push({ path, message: why });
    isScript = isInterpreter && SCRIPT_OPTION.test(String(template));
    isInterpreter ||= INTERPRETERS.test(basename(String(template)));
  }
  check(stdin, at("stdin"));
  for (const [variable, template] of Object.entries(isObject(env) ? env : {})) {
    const names = check(template, at("env", variable));
    if (names.length === 0 || !LOADING_VARIABLES.test(variable)) continue;
    const message = `a value of the call could choose code that the program loads; set it fixed`;
    faults.push({ path: at("env", variable), message });
  }
  for (const [kind, values] of Object.entries(isObject(needs) ? needs : {})) {
    for (const [index, value] of (Array.isArray(values) ? values : []).entries()) {
      check(value, at("needs", kind, `${index}`));
    }
  }
  return faults;
}

/** The most frequent errors in the schema of the arguments. A call reports all others. */
function schemaFaults(schema: unknown, path: string): ConfigFault[] {
  if (!isObject(schema)) return [];
  const { type = "object", required = [], properties } = schema;
  const isList = Array.isArray(required) && required.every((each) => typeof each === "string");
  return [
    ...(type === "object" ? [] : [{ path: `${path}/type`, message: 'must be "object"' }]),
    ...(isList ? [] : [{ path: `${path}/required`, message: "must be a list of names" }]),
    ...Object.entries(isObject(properties) ? properties : {}).flatMap(([name, property]) => {
      const types = isObject(property) ? [property["type"] ?? []].flat() : [];
      if (types.every((each) => SCHEMA_TYPES.includes(each))) return [];
      const message = `must be one of ${SCHEMA_TYPES.join(", ")}, or a list of them`;
      return [{ path: `${path}${pointerOf(["properties", name, "type"])}`, message }];
    }),
  ];
}

/** Says why values must not be in an argument of a program, if they must not. */
function argumentFault(
  template: string,
  { index, isScript }: { index: number; isScript: boolean },
): string | undefined {
  if (index === 0) return "the program must be fixed, so that a call cannot choose it";
  if (isScript) {
    return `the interpreter would run a part of the value; pass the value as an argument of its ` +
      `own, such as ["sh", "-c", "wc -l \\"$1\\"", "sh", "{path}"]`;
  }
  if (!template.startsWith("-") || /^-[^={}]*=/.test(template)) return undefined;
  return 'a value could choose the option; attach it with "=", such as "--name={name}"';
}

/** The properties of the arguments of a command tool. */
export function propertiesOf({ inputSchema }: Record<string, unknown>): Record<string, unknown> {
  const properties = isObject(inputSchema) ? inputSchema["properties"] : undefined;
  return isObject(properties) ? properties : {};
}
