import { basename } from "@std/path/posix/basename";
import { UsageError } from "../../../base/errors.ts";
import { pathRules } from "../../../base/fs/path_rules.ts";
import { readRegularText } from "../../../base/fs/system_file.ts";
import { osErrorMessage } from "../../../base/os_error_message.ts";
import { quote, quotePath } from "../../../base/text/quote.ts";
import { ownToolsDirectory } from "../../config/config_files.ts";
import { isThere } from "../../sandbox/policy/paths.ts";
import type { Program } from "../../program.ts";
import { faultLines } from "../../tools_directory/fault.ts";
import { prepareTool } from "../../tools_directory/prepare_tool.ts";
import { toolPath, writeToolFile } from "../../tools_directory/write_tool.ts";
import {
  type AdditionOptions,
  refuseBuiltIn,
  refuseTaken,
  type ToolAddition,
} from "./additions.ts";

/** The largest file of a tool, in bytes. */
const MAX_BYTES = 2 ** 20;

/**
 * The tool in TypeScript of a file, for the tools directory. Its declaration is read in a thread
 * without permissions. Throws for a file that cannot be read or has no valid tool, and for one that
 * imports other files, which would be missing there.
 */
export async function fileAddition(
  file: string,
  { name: given, line, place, tools, program }: AdditionOptions & { program: Program },
): Promise<ToolAddition> {
  if (given !== undefined) {
    const why = "a tool in TypeScript has its name in its file";
    throw new UsageError(
      `Cannot add ${quotePath(file)} as ${quote(given)}: ${why}; leave out NAME`,
    );
  }
  const own = basename(file);
  const text = readText(file);
  const record = await prepareTool(own, {
    program,
    read(path) {
      if (path === own) return text;
      throw new Error("toolcall add takes one file; copy both into the tools directory instead");
    },
  });
  if ("faults" in record) {
    const lines = faultLines(
      pathRules.parentOf(pathRules.resolve(Deno.cwd(), file)),
      record.faults,
    );
    throw new Error(`Cannot add ${quotePath(file)}: ${lines.join("\n  ")}`);
  }
  const { name, description, permissionKinds, sideEffect } = record.tool.metadata;
  refuseBuiltIn(name, tools);
  const named = line.options.get("tools-dir");
  const directory = named === undefined
    ? ownToolsDirectory(place)
    : pathRules.resolve(Deno.cwd(), named);
  if (directory === undefined) {
    throw new UsageError("Cannot determine your tools directory; name one with --tools-dir=DIR");
  }
  refuseTaken("commands", name, place);
  const path = toolPath(name, directory);
  if (isThere(path)) {
    const why = `${quotePath(path)} exists already; remove it first`;
    throw new UsageError(`Cannot add ${quote(name)}: ${why}`);
  }
  const flag = named === undefined ? "" : ` --tools-dir=${named}`;
  return {
    lines: [
      `Tool ${quote(name)}: ${description}`,
      `Side effect: ${sideEffect}`,
      `Permissions: ${permissionKinds.join(", ") || "none"}`,
      "A call may use these kinds only as far as its flags allow.",
      `File: ${quotePath(path)}`,
    ],
    add() {
      writeToolFile(path, text);
      return Promise.resolve([
        `Added the tool ${quote(name)} as ${quotePath(path)}`,
        `Run its examples: toolcall try${flag} ${name}`,
      ]);
    },
  };
}

function readText(file: string): string {
  try {
    return readRegularText(file, MAX_BYTES);
  } catch (error) {
    throw new Error(`Cannot read ${quotePath(file)}: ${osErrorMessage(error)}`);
  }
}
