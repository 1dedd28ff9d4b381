/** A tool of a tools directory, as the registry has it. */

import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { brokenRules } from "../call/invalid_arguments.ts";
import { isSetByParent } from "../own_environment.ts";
import type { Program } from "../program.ts";
import type { DirectoryTool, ToolModule } from "../registry/tool_module.ts";
import { askModule, withinTime } from "../sandbox/executors/module_worker.ts";
import { faultLines, type ToolFault } from "./fault.ts";
import {
  hashOf,
  loadValidator,
  readKept,
  recordKey,
  type ToolRecord,
  writeKept,
} from "./tool_record.ts";
import type { TrustedDirectory } from "./trusted_files.ts";
import { limitIn, needsIn } from "./module_answers.ts";

/** The time limit of a call whose tool was not asked, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 30_000;

/** The name in a module that cannot be loaded. */
const NAMED =
  /\bsimpleTool\(\s*["']([A-Za-z][\w.-]*)["']|\bdefineTool\(\s*\{[^]*?\bname\s*:\s*["']([A-Za-z][\w.-]*)["']/;

/** The place of a tool. */
export interface ToolPlace {
  /** The tools directory. */
  directory: TrustedDirectory;
  /** The file in it. */
  file: string;
  /** This program. */
  program: Program;
}

/**
 * Reads a file of the directory and returns its compiled form. A new text is compiled.
 * Errors of the file are in the record.
 */
export async function recordOf({ directory, file, program }: ToolPlace): Promise<ToolRecord> {
  // Each file is read once, so that its hash is that of the text that is loaded.
  const texts = new Map<string, string>();
  const read = (path: string): string => {
    const text = texts.get(path) ?? directory.read(path);
    texts.set(path, text);
    return text;
  };
  let key: string;
  try {
    key = await recordKey(directory.path, file, read(file));
  } catch (error) {
    return { imports: {}, faults: [{ file, message: (error as Error).message }] };
  }
  const kept = readKept(key) as ToolRecord | undefined;
  if (kept !== undefined && await areSame(kept.imports, read)) return kept;
  const { prepareTool } = await import("./prepare_tool.ts");
  const record = await prepareTool(file, { read, program });
  if ("tool" in record) return await keep(key, record);
  const [, named, simple] = NAMED.exec(read(file)) ?? [];
  const name = named ?? simple;
  const faulty = { ...record, ...(name !== undefined && { name }) };
  return record.retry === undefined ? await keep(key, faulty) : faulty;
}

async function keep(key: string, record: ToolRecord): Promise<ToolRecord> {
  await writeKept(key, record);
  return record;
}

/** Whether files still have these hashes. */
async function areSame(
  hashes: Readonly<Record<string, string>>,
  read: (file: string) => string,
): Promise<boolean> {
  try {
    for (const [file, hash] of Object.entries(hashes)) {
      if (await hashOf(read(file)) !== hash) return false;
    }
    return true;
  } catch {
    return false;
  }
}

/** Loads the tool of a file. Throws `unavailable` with each error of the file, and its place. */
export async function directoryTool(name: string, place: ToolPlace): Promise<DirectoryTool> {
  const record = await recordOf(place);
  const { file, program } = place;
  const directory = place.directory.path;
  if ("faults" in record) throw faultyTool(name, directory, record.faults);
  const { metadata, url, validator, timeoutMs, hasRules = false } = record.tool;
  if (metadata.name !== name) {
    const message = `it has the tool ${quote(metadata.name)} by now; call that`;
    throw faultyTool(name, directory, [{ file, message }]);
  }
  const module: ToolModule = { url, ...(isSetByParent("tracesRefusals") && { isTraced: true }) };
  const elsewhere = () => {
    throw new CallError("internal", `The code of ${quote(name)} is only in its own thread`);
  };
  // The time limits that the tool has computed, by the arguments of the calls.
  const limits = new WeakMap<object, number>();
  const computed = (args: Record<string, unknown>) => limits.get(args) ?? DEFAULT_TIMEOUT_MS;
  const { permissionKinds, aliases, requires, file: _, permissionSets: _s, ...declared } = metadata;
  return {
    metadata: { ...metadata, file: `${directory}/${file}` },
    validate: loadValidator(validator),
    code: module,
    load: () =>
      Promise.resolve({
        ...{ ...declared, aliases, requires },
        permissions: { kinds: permissionKinds, needs: elsewhere },
        ...(timeoutMs !== undefined && {
          timeoutMs: timeoutMs === "computed" ? computed : timeoutMs,
        }),
        run: elsewhere,
      }),
    async needs(args, cwd, ask) {
      const question = { args, cwd };
      try {
        const answer = ask === undefined
          ? await askModule({ module, question }, program)
          : await withinTime(ask(question));
        const { problems, needs, limit } = needsIn(answer, name, permissionKinds);
        if (problems.length > 0) throw brokenRules(metadata, problems);
        if (timeoutMs === "computed") limits.set(args, limitIn(limit));
        return needs;
      } catch (error) {
        if (!(error instanceof CallError) || error.code !== "unavailable") throw error;
        throw faultyTool(name, directory, [{ file, message: error.message }]);
      }
    },
    async rulesBroken(args, cwd, ask) {
      if (!hasRules) return [];
      const question = { args, cwd, onlyRules: true };
      const answer = ask === undefined
        ? await askModule({ module, question }, program)
        : await withinTime(ask(question));
      return needsIn(answer, name, permissionKinds).problems;
    },
  };
}

function faultyTool(name: string, directory: string, faults: readonly ToolFault[]): CallError {
  return new CallError(
    "unavailable",
    `Cannot use the tool ${quote(name)}:\n${faultLines(directory, faults).join("\n")}`,
    { tool: name, faults },
  );
}
