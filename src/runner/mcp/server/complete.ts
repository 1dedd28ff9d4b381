import type { CompleteResult } from "@modelcontextprotocol/server";
import { isObject } from "../../../base/json/is_object.ts";
import { quote } from "../../../base/text/quote.ts";
import { completePaths } from "../../call/complete_paths.ts";
import type { CallOptions } from "../../call/call.ts";
import { couldRun } from "../../registry/registered_tool.ts";
import type { PromptFile } from "./prompt_file.ts";
import { JsonRpcError } from "../json_rpc_error.ts";
import { findPrompt } from "./find_prompt.ts";
import { readPlaces } from "../../sandbox/policy/read_places.ts";
import { templateOf } from "./resources.ts";

/** The most values of one answer: MCP allows no more. */
const MAX_VALUES = 100;

/** The names of arguments that are paths, if their schema does not list values. */
const PATH_NAME = /(^|_)(path|file|dir|directory|cwd|folder)s?$/i;

/** The parameters of `completion/complete`. */
export interface CompleteParams {
  /** The prompt, the resource template or the tool that has the argument. */
  ref: Record<string, unknown>;
  /** The argument, and the beginning of its value. */
  argument: { name: string; value: string };
}

/**
 * Checks the parameters of `completion/complete`. Besides prompts and resource templates it allows
 * `{"type":"ref/tool","name":…}`, which is not part of MCP. Throws -32602.
 */
export function parseCompleteParams(params: unknown): CompleteParams {
  const { ref, argument } = isObject(params) ? params : {};
  const { name, value } = isObject(argument) ? argument : {};
  if (!isObject(ref) || typeof name !== "string" || typeof value !== "string") {
    throw invalid('"ref" and "argument" with a name and a value are required');
  }
  return { ref, argument: { name, value } };
}

/**
 * Completes the value of an argument of a prompt, a resource template or a tool. Names of files come
 * only from directories that the flags let calls read.
 */
export async function completeArgument(
  { ref, argument: { name, value } }: CompleteParams,
  options: CallOptions,
  prompts: ReadonlyMap<string, PromptFile>,
): Promise<CompleteResult> {
  const values = await candidates(ref, { name, value }, { options, prompts });
  const found = values.filter((each) => each.startsWith(value));
  return {
    completion: {
      values: found.slice(0, MAX_VALUES),
      total: found.length,
      hasMore: found.length > MAX_VALUES,
    },
  };
}

async function candidates(
  ref: CompleteParams["ref"],
  { name, value }: CompleteParams["argument"],
  { options, prompts }: { options: CallOptions; prompts: ReadonlyMap<string, PromptFile> },
): Promise<readonly string[]> {
  const { type, name: refName, uri } = ref;
  if (type === "ref/prompt" && typeof refName === "string") {
    const argument = findPrompt(prompts, refName).arguments.find((each) => each.name === name);
    if (argument === undefined) throw noArgument(refName, name);
    if (argument.values !== undefined) return argument.values;
    if (argument.type === "path") return completePaths(value, options);
    return argument.type === "tool" ? await toolNames(options) : [];
  }
  if (type === "ref/tool" && typeof refName === "string") {
    return await toolCandidates(refName, { name, value }, options);
  }
  if (type === "ref/resource" && typeof uri === "string") {
    const { grants, cwd } = options;
    const directory = readPlaces(grants, cwd).find((each) => templateOf(each) === uri);
    if (directory === undefined) throw invalid(`Unknown resource template ${quote(uri)}`);
    // The value is a part of the address below the directory.
    const isBelow = !value.startsWith("/") && !value.split("/").includes("..");
    return isBelow && name === "path" ? completePaths(value, { grants, cwd: directory }) : [];
  }
  throw invalid('"ref" must be a prompt, a resource template or a tool');
}

async function toolCandidates(
  tool: string,
  { name, value }: CompleteParams["argument"],
  options: CallOptions,
): Promise<readonly string[]> {
  const { inputSchema } = await metadataOf(tool, options);
  const properties = isObject(inputSchema["properties"]) ? inputSchema["properties"] : {};
  const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (!isObject(schema)) throw noArgument(tool, name);
  const items = isObject(schema["items"]) ? schema["items"] : {};
  const values = schema["enum"] ?? items["enum"];
  if (Array.isArray(values)) return values.map(String);
  if (schema["type"] === "boolean") return ["true", "false"];
  if (PATH_NAME.test(name)) return completePaths(value, options);
  return /(^|_)tools?$/i.test(name) ? await toolNames(options) : [];
}

async function metadataOf(tool: string, { registry }: CallOptions) {
  try {
    return (await registry.get(tool).load()).metadata;
  } catch (error) {
    throw invalid((error as Error).message);
  }
}

async function toolNames({ registry, grants }: CallOptions): Promise<string[]> {
  const names = registry.namesForApis();
  return (await registry.list())
    .filter((tool) => couldRun(tool, grants))
    .map((tool) => names.get(tool.name)!);
}

function noArgument(of: string, name: string): JsonRpcError {
  return invalid(`${quote(of)} has no argument ${quote(name)}`);
}

function invalid(message: string): JsonRpcError {
  return new JsonRpcError("invalidParams", message);
}
