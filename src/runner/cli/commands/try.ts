import { UsageError } from "../../../base/errors.ts";
import { blockText } from "../../../base/block_text.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { quote } from "../../../base/text/quote.ts";
import type { CallResult } from "../../call/failure.ts";
import type { Example } from "../../registry/define.ts";
import { ownEnvironment } from "../../own_environment.ts";
import { ownCommand, runOwnProcess } from "../../sandbox/executors/own_process.ts";
import { findTool, useCatalogue } from "../catalogue/catalogue.ts";
import type { Command, Process } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { configPlace } from "../../config/config_files.ts";
import { withRunnableExamples } from "../print/runnable_examples.ts";
import { writeAll } from "../streams.ts";

/**
 * `toolcall try NAME`: runs the examples of a tool, each in the sandbox of the permissions that the
 * tool declares for it. The exit code is 1 if an example fails.
 */
export const tryCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 1);
  const [name] = operands;
  if (name === undefined) throw new UsageError("Missing tool name. Usage: toolcall try NAME");
  const { root } = configPlace(line);
  const { examples, file } = await useCatalogue(
    { line, tool: name },
    process,
    async (registry) => await withRunnableExamples(await findTool(registry, name), registry, root),
  );
  const hasTypes = file === undefined || await reportTypes(file, process);
  if (examples.length === 0) {
    await writeAll(
      process.stderr,
      `toolcall: The tool ${quote(name)} has no examples; add "examples" to its declaration\n`,
    );
    return 1;
  }
  let passed = 0;
  for (const example of examples) {
    const flags = [...line.flags, ...example.flags ?? []];
    const result = await callExample(name, { ...example, flags }, process);
    const faults = faultsOf(example, result);
    if (faults.length === 0) passed++;
    const mark = faults.length > 0 ? "failed" : "ok";
    const notes = [...faults, ...undeclaredIn(result)];
    const lines = [`${mark}: ${example.description}`, ...notes.map((note) => `  ${note}`)];
    await writeAll(process.stdout, `${lines.map((each) => escapeControls(each)).join("\n")}\n`);
  }
  await writeAll(process.stdout, `${passed} of ${examples.length} passed\n`);
  return hasTypes && passed === examples.length ? 0 : 1;
};

/** Prints the type errors of a tool of a tools directory. Returns whether there are none. */
async function reportTypes(file: string, { stdout, program }: Process): Promise<boolean> {
  const { checkTypes } = await import("../../tools_directory/check_types.ts");
  const errors = await checkTypes(file, program);
  const lines = errors === undefined
    ? ["skipped: types, because this executable has no type checker"]
    : errors.length === 0
    ? ["ok: types"]
    : ["failed: types", ...errors.map((error) => `  ${error}`)];
  await writeAll(stdout, `${lines.map((each) => escapeControls(each)).join("\n")}\n`);
  return errors === undefined || errors.length === 0;
}

/** Runs an example in another process, whose sandbox this one need not enter. */
async function callExample(
  name: string,
  { input, flags = [] }: Example,
  { program }: Process,
): Promise<CallResult> {
  const [path, ...args] = ownCommand(program);
  const text = await runOwnProcess([path, ...args, "call", ...flags, "--format=mcp"], {
    input: JSON.stringify({ name, arguments: input }),
    env: ownEnvironment({ tracesRefusals: String(Deno.pid) }),
    signal: new AbortController().signal,
  });
  return JSON.parse(text);
}

/** The accesses that a tool of a tools directory does not declare. The runtime refused them. */
function undeclaredIn({ _meta }: CallResult): string[] {
  const found = _meta?.["toolcall/undeclared"] ?? _meta?.["toolcall/error"]?.["undeclared"] ?? [];
  return (found as readonly string[]).map((what) =>
    `not declared in "permissions", and refused: ${what}`
  );
}

/** The differences between a result and what the example expects. */
function faultsOf({ expect, isError = false }: Example, result: CallResult): string[] {
  const text = result.content.map((block) => blockText(block)).join("\n");
  const faults: string[] = [];
  if (result.isError !== isError) {
    faults.push(isError ? "The call must fail, but it succeeded" : "The call failed");
  }
  if (!text.includes(expect)) faults.push(`The result does not contain ${quote(expect)}`);
  if (faults.length > 0) faults.push(...text.trimEnd().split("\n").map((each) => `> ${each}`));
  // The sandbox opens only what the tool declares, so such a line names an undeclared permission.
  else faults.push(...text.split("\n").filter((each) => /needs --(allow|deny)-/.test(each)));
  return faults;
}
