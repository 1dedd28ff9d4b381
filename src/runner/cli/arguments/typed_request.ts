import { UsageError } from "../../../base/errors.ts";
import { parseExactJson } from "../../../base/json/exact_json.ts";
import { quote } from "../../../base/text/quote.ts";
import type { CallOptions } from "../../call/call.ts";
import { withServerOf } from "../../call/servers.ts";
import type { Request } from "../../dialect/incoming.ts";
import { decodeInput, requestOf } from "../../dialect/request.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import { ToolDisabledError, ToolNotFoundError } from "../../registry/registry_errors.ts";
import type { CommandLine, Process } from "../command.ts";
import { misplacedValue } from "../operands.ts";
import { readingOf, readInput, readRequest } from "../read_request.ts";
import { exampleArguments } from "./arguments_hint.ts";
import { type Operand, parseOperand } from "./operand.ts";
import { readGrantedFile } from "./read_granted_file.ts";
import { type ArgumentPlace, findArgument, typedValue } from "./typed_value.ts";

/** The texts, or the JSON value, that the operands give one argument. */
interface GivenArgument extends ArgumentPlace {
  key: string;
  texts: string[];
  json?: unknown;
}

/**
 * The request to call the tool `name` with arguments as people type them: `key=text`, `key:=json`,
 * `key@=FILE`, or one text for the only required text. `@FILE` and `-` give all arguments as JSON.
 * Only `key@=FILE` and `@FILE` read a file, and the flags must grant it. Rejects with
 * {@link UsageError} for operands that conflict, and with a `CallError`.
 */
export async function typedRequest(
  { name, operands }: { name: string; operands: readonly string[] },
  process: Process,
  { line, options }: { line: CommandLine; options: CallOptions },
): Promise<Request> {
  const reading = readingOf(line);
  const tool = await loadTool(name, options);
  // Executing the call reports the unknown name.
  if (tool === undefined) return await requestOf({ name, arguments: {} }, reading);
  const parsed = operands.map(parseOperand);
  const misplaced = (at: number) =>
    misplacedValue(line, line.positionals.length - operands.length + at);
  const whole = parsed.find(({ form }) => ["json", "stdin", "file"].includes(form));
  if (whole !== undefined) {
    const other = operands.find((_, at) => parsed[at] !== whole);
    if (other !== undefined) {
      const fault = misplaced(operands.indexOf(other));
      if (fault !== undefined) throw fault;
      const what = whole.form === "json" ? "JSON" : quote(whole.form === "stdin" ? "-" : "@FILE");
      throw new UsageError(
        `Cannot combine the argument ${quote(other, 80)} with ${what}; put it into the JSON`,
      );
    }
    const json = whole.form === "file"
      ? await readGrantedFile(whole.text, tool, options)
      : decodeInput(await readInput(process.stdin));
    return await readRequest([name, json], process, line);
  }
  const given = new Map<string, GivenArgument>();
  const root = tool.metadata.inputSchema;
  let stdin: string | undefined;
  for (const [at, operand] of parsed.entries()) {
    const { key, text, form } = withKey(operand, tool, misplaced(at));
    if (!("key" in operand) && given.has(key)) {
      throw new UsageError(
        `Unexpected argument ${quote(operand.text, 80)}; ${quote(key)} has a value already`,
      );
    }
    const argument = given.get(key) ?? { ...findArgument(key, root), key, texts: [] };
    if (Object.hasOwn(argument, "json") || form === "key_json" && given.has(key)) {
      throw new UsageError(`The argument ${quote(key)} is given twice; it takes one value`);
    }
    given.set(key, argument);
    if (form === "key_json") argument.json = jsonIn(text, key);
    else if (form === "key_text") argument.texts.push(text);
    else if (text === "-") {
      if (stdin !== undefined) throw new UsageError("Two arguments read stdin; only one can");
      stdin = decodeInput(await readInput(process.stdin));
      argument.texts.push(stdin);
    } else argument.texts.push(await readGrantedFile(text, tool, options));
  }
  const args: Record<string, unknown> = {};
  refuseOverlap([...given.values()]);
  for (const { key, path, schema, texts, ...rest } of given.values()) {
    const value = "json" in rest ? rest.json : typedValue(texts, { key, schema, root });
    put(args, path, value);
  }
  return await requestOf({ name, arguments: args }, reading);
}

/** Loads the declaration of a tool, or returns undefined for an unknown or disabled name. */
async function loadTool(name: string, options: CallOptions): Promise<RegisteredTool | undefined> {
  await withServerOf(name, options, new AbortController());
  try {
    return await options.registry.get(name).load();
  } catch (error) {
    if (error instanceof ToolNotFoundError || error instanceof ToolDisabledError) return undefined;
    throw error;
  }
}

/** An operand with its key. A string without a key is the tool's only required string. */
function withKey(
  operand: Operand,
  { metadata: tool }: RegisteredTool,
  misplaced: UsageError | undefined,
): Extract<Operand, { key: string }> {
  if ("key" in operand) return operand;
  const { text } = operand;
  if (misplaced !== undefined) throw misplaced;
  const { properties, required } = tool.inputSchema as {
    properties?: Record<string, { type?: unknown }>;
    required?: string[];
  };
  const [key, ...others] = (required ?? []).filter((each) => properties?.[each]?.type === "string");
  if (key !== undefined && others.length === 0) return { form: "key_text", key, text };
  throw new UsageError(
    `Unexpected argument ${quote(text, 80)}; write the arguments of ${quote(tool.name)} as ` +
      `KEY=VALUE, or as JSON such as '${exampleArguments(tool)}'`,
  );
}

function jsonIn(text: string, key: string): unknown {
  try {
    return parseExactJson(text);
  } catch (error) {
    const why = (error as Error).message;
    throw new UsageError(`The value of ${quote(`${key}:=`)} ${why}; write a string as ${key}=TEXT`);
  }
}

/** Throws {@link UsageError} if one argument is a part of another one. */
function refuseOverlap(given: readonly GivenArgument[]): void {
  for (const outer of given) {
    const inner = given.find(({ path }) =>
      path.length > outer.path.length && outer.path.every((key, at) => key === path[at])
    );
    if (inner === undefined) continue;
    throw new UsageError(
      `The argument ${quote(inner.key)} is a part of ${quote(outer.key)}, which is given too`,
    );
  }
}

/** Sets the value at a path of own keys. Assigning `__proto__` would set no key. */
function put(args: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key, ...rest] = path as [string, ...string[]];
  const inner = Object.hasOwn(args, key) ? args[key] as Record<string, unknown> : {};
  if (rest.length > 0) put(inner, rest, value);
  Object.defineProperty(args, key, {
    value: rest.length > 0 ? inner : value,
    ...{ enumerable: true, configurable: true, writable: true },
  });
}
