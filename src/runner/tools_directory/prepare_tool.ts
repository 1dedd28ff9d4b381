/** Compiles a tool's file, and reads its declaration in a thread without permissions. */

import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { init } from "es-module-lexer";
import { CallError } from "../../base/errors.ts";
import { ownVariable } from "../own_environment.ts";
import type { Program } from "../program.ts";
import { askModule } from "../sandbox/executors/module_worker.ts";
import { compileModule } from "./compile_module.ts";
import type { FieldFault } from "../registry/declaration.ts";
import type { Declaration } from "./declaration.ts";
import { faultOf, type ToolFault } from "./fault.ts";
import { moduleUrl, placeIn, withoutUrls } from "./module_url.ts";
import { hashOf, type ToolRecord } from "./tool_record.ts";

/** Returns the record of a file. `read` returns the text of a file of the directory. */
export async function prepareTool(
  file: string,
  { read, program }: { read(file: string): string; program: Program },
): Promise<ToolRecord> {
  if (!hasCompiler(program)) {
    return { imports: {}, faults: [{ file, message: NO_COMPILER }], retry: "always" };
  }
  await init;
  const imports: Record<string, string> = {};
  try {
    const { url, texts } = compileModule(file, { read, api: apiUrl(program) });
    for (const [path, text] of texts) if (path !== file) imports[path] = await hashOf(text);
    const said = await declarationOf(url, file, program);
    if (!("metadata" in said)) {
      return { imports, faults: said.faults.map((fault) => placed(fault, file, texts.get(file)!)) };
    }
    const { metadata, ...more } = said;
    const validator = validatorOf(metadata.inputSchema, file, texts.get(file)!);
    if (typeof validator !== "string") return { imports, faults: [validator] };
    const tool = { metadata, url, validator, ...more };
    return { imports, tool };
  } catch (error) {
    // A module that did not answer may do so when the machine is less busy.
    const retry = error instanceof CallError && { retry: "call" as const };
    return { imports, faults: [faultOf(error, file)], ...retry };
  }
}

/** The line with which a declaration begins. */
const EXPORT = /^\s*export\s+default\b|defineTool\(/;

/** The fields that a call of `simpleTool` names. */
const SIMPLE_FIELDS = ["permissions", "kinds", "needs"];

/** The reason of an executable that cannot compile TypeScript. */
const NO_COMPILER =
  'this executable was made by "deno compile" and cannot compile TypeScript; list the tools once ' +
  "with the self-extracting executable, which keeps their JavaScript form for both";

/** Whether this executable can compile TypeScript. */
function hasCompiler({ isBundled }: Program): boolean {
  // Only the head of a self-extracting executable names itself.
  return !isBundled || ownVariable("executable") !== undefined;
}

/** The URL of the module "toolcall". In the bundle it holds the text, as the tools' URLs do. */
function apiUrl({ isBundled }: Program): string {
  const url = new URL("./tool_api.ts", import.meta.url);
  if (!isBundled) return url.href;
  return moduleUrl("toolcall", Deno.readTextFileSync(url));
}

type Said = Declaration | { faults: readonly (FieldFault & Partial<ToolFault>)[] };

async function declarationOf(url: string, file: string, program: Program): Promise<Said> {
  const answer = await askModule({ module: { url }, question: "declaration" }, program);
  if ("said" in answer) return JSON.parse(answer.said);
  if ("refused" in answer) return { faults: [{ message: answer.refused }] };
  const { fault, stack } = answer;
  const message = `it cannot be loaded: ${withoutUrls(fault)}`;
  return { faults: [{ message, ...placeIn(stack) ?? placeIn(fault) ?? { file } }] };
}

function validatorOf(
  schema: Record<string, unknown>,
  file: string,
  text: string,
): string | ToolFault {
  try {
    return compileValidator(schema);
  } catch (error) {
    const message = `the field "inputSchema" is no valid schema: ${(error as Error).message}`;
    return placed({ field: "inputSchema", message }, file, text);
  }
}

/** A fault with its place: that of its field in the text, or else of the default export. */
function placed(
  { field, ...fault }: FieldFault & Partial<ToolFault>,
  file: string,
  text: string,
): ToolFault {
  if (fault.file !== undefined) return { ...fault, file: fault.file };
  const lines = text.split("\n");
  const start = Math.max(lines.findIndex((line) => EXPORT.test(line)), 0);
  // Fields of the tool are indented less than those of the same name inside of them.
  const isNamed = field !== undefined && /^\w+$/.test(field) &&
    (!lines[start]!.includes("simpleTool(") || SIMPLE_FIELDS.includes(field));
  const [at = start] = !isNamed ? [] : lines.keys()
    .filter((line) => new RegExp(`\\b${field}["']?\\s*[:(,]`).test(lines[line]!))
    .toArray()
    .sort((a, b) => Number(a < start) - Number(b < start) || indent(a) - indent(b));
  return { file, line: at + 1, message: fault.message };

  function indent(line: number): number {
    return lines[line]!.search(/\S|$/);
  }
}

/**
 * The code of a validator for a schema (JSON Schema 2020-12). It fills in
 * defaults and ignores unknown keywords. Throws for a schema that is invalid.
 */
export function compileValidator(schema: Record<string, unknown>): string {
  const ajv = new Ajv2020({
    ...{ strict: false, allErrors: true, useDefaults: true, validateFormats: false },
    // A key such as "constructor" is in every object, but no caller has written it.
    ownProperties: true,
    logger: false,
    code: { source: true },
  });
  return standalone.default(ajv, ajv.compile(schema));
}
