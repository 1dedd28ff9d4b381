import { UsageError } from "../../../base/errors.ts";
import { webUrl } from "../../../base/host.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { quote } from "../../../base/text/quote.ts";
import { apiAddition, commandAddition, type ToolAddition } from "../add/additions.ts";
import { readAddedSource } from "../add/open_source.ts";
import { isAgreed } from "../agree.ts";
import type { Command, CommandLine, Process } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { chosenPlace } from "../config_key.ts";
import { writeAll } from "../streams.ts";

const USAGE = "Usage: toolcall add FILE|URL|npm:PACKAGE [NAME] [--yes]";

/**
 * `toolcall add FILE|URL|npm:PACKAGE [NAME]`: prints what the tools of an OpenAPI document, of a file
 * with a tool or of a package would be allowed, and adds them after a yes. Without `--yes`
 * and without a terminal it adds nothing, and the exit code is 1.
 */
export const addCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 2);
  const [place, name] = operands;
  if (place === undefined || place === "") throw new UsageError(`Missing operand. ${USAGE}`);
  try {
    const addition = await additionOf(place, { name, line, process });
    await say(process, addition.lines);
    const question = { question: "Add this?", header: "Add", yes: "Add it" };
    if (!await isAgreed(line, process, question)) {
      await writeAll(
        process.stderr,
        `toolcall: Nothing was added. To add it, run the command again with --yes\n`,
      );
      return 1;
    }
    await say(process, await addition.add());
    return 0;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    await writeAll(process.stderr, `toolcall: ${escapeControls((error as Error).message)}\n`);
    return 1;
  }
};

async function additionOf(
  place: string,
  { name, line, process }: { name: string | undefined; line: CommandLine; process: Process },
): Promise<ToolAddition> {
  const options = { name, line, place: chosenPlace(line), tools: [...process.entries] };
  if (place.startsWith("npm:")) {
    const { packageAddition } = await import("../add/package_addition.ts");
    return await packageAddition(place.slice("npm:".length), options);
  }
  if (place.endsWith(".ts")) {
    if (webUrl(place) !== undefined) {
      throw new Error(
        `Cannot add ${quote(place, 400)}: download the tool, read it, and add the file`,
      );
    }
    const { fileAddition } = await import("../add/file_addition.ts");
    return await fileAddition(place, { ...options, program: process.program });
  }
  const { value, url } = await readAddedSource(place);
  if (isObject(value) && "run" in value) {
    return commandAddition(value, { ...options, file: place });
  }
  if (isObject(value) && ("openapi" in value || "swagger" in value)) {
    return apiAddition(value, { ...options, from: place, ...(url !== undefined && { url }) });
  }
  throw new Error(
    `Cannot add ${
      quote(place, 400)
    }: it is no OpenAPI document, no command tool, which has the keys ` +
      '"description" and "run", and no tool in a .ts file',
  );
}

async function say({ stdout }: Process, lines: readonly string[]): Promise<void> {
  await writeAll(stdout, lines.map((each) => `${escapeControls(each)}\n`).join(""));
}
