import { readVariable } from "../../../base/environment.ts";
import { UsageError } from "../../../base/errors.ts";
import { fileTarget } from "../../../base/fs/system_error.ts";
import { rewriteFile } from "../../../base/fs/rewrite_file.ts";
import { osErrorMessage } from "../../../base/os_error_message.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { quotePath } from "../../../base/text/quote.ts";
import { checkFiles, isUsable, problemLines } from "../../config/check_files.ts";
import { CheckedFile } from "../../config/checked_file.ts";
import { configFiles, type ConfigPlace } from "../../config/config_files.ts";
import { editConfig } from "../../config/edit_config.ts";
import { trustEdit } from "../../config/trust.ts";
import type { RegistryEntry } from "../../registry/registered_tool.ts";
import type { Json } from "../../registry/services.ts";
import { callersEnvironment } from "../../sandbox/executors/environment.ts";
import { realPath } from "../../sandbox/policy/paths.ts";
import { type Command, type Process, readFormat } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { chosenPlace, configPointer, otherTools } from "../config_key.ts";
import { writeAll } from "../streams.ts";

/** `toolcall config set KEY VALUE`. A value that is not JSON is a string; `null` removes the key. */
export const setConfig: Command = async (line, operands, process) => {
  refuseOperands(operands, 2);
  const format = readFormat(line, ["text", "json"]);
  const pointer = configPointer(operands[0]);
  const given = operands[1];
  if (given === undefined) {
    throw new UsageError(`Missing value. Usage: toolcall config set ${operands[0]} VALUE`);
  }
  const value = valueOf(given);
  try {
    const edit = await editConfig(
      { pointer, value: value === null ? undefined : value },
      { place: chosenPlace(line), tools: await otherTools(line, process) },
    );
    const now = edit.value === undefined ? "not set" : JSON.stringify(edit.value);
    const text = edit.isChanged
      ? `${pointer} is now ${now} in ${quotePath(edit.file)}`
      : `Nothing to do: ${pointer} is ${now} in ${quotePath(edit.file)}`;
    await writeAll(
      process.stdout,
      format === "json" ? `${JSON.stringify(edit)}\n` : `${escapeControls(text)}\n`,
    );
    return 0;
  } catch (error) {
    return await fail(process, (error as Error).message);
  }
};

function valueOf(given: string): Json {
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

/**
 * `toolcall config edit`: opens a copy in the user's editor. The copy replaces the file only if
 * calls can use it, and if no other program has changed the file meanwhile.
 */
export const editConfigFile: Command = async (line, operands, process) => {
  refuseOperands(operands, 0);
  const place = chosenPlace(line);
  const [file = `${place.root}/toolcall.json`] = configFiles(place);
  const editor = [readVariable("VISUAL"), readVariable("EDITOR")].find((each) => each);
  if (editor === undefined) {
    throw new UsageError(
      `No editor is configured: set VISUAL or EDITOR, or edit ${quotePath(file)} and run ` +
        '"toolcall config check"',
    );
  }
  const directory = Deno.makeTempDirSync({ prefix: "toolcall-edit-" });
  const draft = `${directory}/toolcall.json`;
  let isKept = false;
  try {
    const target = fileTarget(realPath, { given: file, action: "edit" });
    const before = textIn(target.path);
    Deno.writeTextFileSync(draft, before ?? "{}\n", { mode: 0o600 });
    const fault = await runEditor(editor, draft);
    if (fault !== undefined) return await fail(process, fault);
    const after = Deno.readTextFileSync(draft);
    if (after === (before ?? "{}\n")) {
      await writeAll(process.stdout, `Nothing to do: ${quotePath(file)} is unchanged\n`);
      return 0;
    }
    isKept = true;
    const problems = problemsOf(draft, { file, place, tools: await otherTools(line, process) });
    if (problems.length > 0) {
      const kept = `The file was not changed. Your text is in ${quotePath(draft)}`;
      return await fail(process, `${problems.join("\n")}\n${kept}`);
    }
    const written = await rewriteFile(target, (text) => {
      if (text === (before ?? "").replace(/^\ufeff/, "")) return after.replace(/^\ufeff/, "");
      throw new Error(`another program has changed it. Your text is in ${quotePath(draft)}`);
    });
    trustEdit(file, { ...written, place });
    isKept = false;
    await writeAll(process.stdout, `Wrote ${quotePath(file)}\n`);
    return 0;
  } catch (error) {
    return await fail(process, (error as Error).message);
  } finally {
    if (!isKept) Deno.removeSync(directory, { recursive: true });
  }
};

/** The errors in the draft, as lines that name the file. Warnings are no reason to refuse. */
function problemsOf(
  draft: string,
  { file, place, tools }: { file: string; place: ConfigPlace; tools: readonly RegistryEntry[] },
): string[] {
  const checked = new CheckedFile(draft);
  const others = configFiles(place).filter((path) => path !== file);
  checkFiles([checked, ...others.map((path) => new CheckedFile(path))], tools);
  const errors = checked.sorted().filter((each) => !isUsable([each]));
  return problemLines(file, errors).map((each) => each.replaceAll("\n", "\\n"));
}

function textIn(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new Error(`Cannot read ${quotePath(path)}: ${osErrorMessage(error)}`);
  }
}

/** Runs the editor as a shell does, because EDITOR may have arguments. Returns what went wrong. */
async function runEditor(editor: string, file: string): Promise<string | undefined> {
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", `${editor} "$@"`, editor, file],
    clearEnv: true,
    env: callersEnvironment(),
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();
  // The editor gets the signals of the terminal too, and decides for itself.
  const ignore = () => {};
  Deno.addSignalListener("SIGINT", ignore);
  const { code, signal } = await child.status;
  Deno.removeSignalListener("SIGINT", ignore);
  if (code === 0) return undefined;
  const how = signal === null ? `ended with the exit code ${code}` : `was ended by ${signal}`;
  return `The editor ${how}. The file was not changed`;
}

async function fail({ stderr }: Process, why: string): Promise<number> {
  await writeAll(stderr, `toolcall: ${escapeControls(why)}\n`);
  return 1;
}
