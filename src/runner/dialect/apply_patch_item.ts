import { quote } from "../../base/text/quote.ts";
import type { ToolCall } from "../call/call.ts";
import { describeType, malformed, shown } from "./mcp.ts";

/** The tool that applies patches, and its argument. */
const [TOOL, ARGUMENT] = ["apply_patch", "patch"];

/** The word of the patch format for each type of operation. */
const WORDS: Readonly<Record<string, string>> = {
  create_file: "Add",
  update_file: "Update",
  delete_file: "Delete",
};

/** A line that the patch format would take for the begin of another part of the patch. */
const MARK = /^\s*\*\*\* (Begin Patch|End Patch|(Add|Update|Delete) File:|Move to:)/m;

/** The call for a patch in the freeform grammar. */
export function freeformPatch(input: unknown): ToolCall {
  if (typeof input !== "string") throw malformed(`"input" is ${describeType(input)}, not a string`);
  return { name: TOOL, arguments: { [ARGUMENT]: input } };
}

/**
 * The call for the operation of an `apply_patch_call`, as a patch of one file. Throws
 * `malformed_call`, also for a diff that would change another file than its path.
 */
export function patchOfOperation(
  { type, path, diff = "", ...others }: Record<string, unknown>,
): ToolCall {
  const word = typeof type === "string" && Object.hasOwn(WORDS, type) ? WORDS[type] : undefined;
  if (word === undefined) throw malformed(`an operation of type ${shown(type)} is not understood`);
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw malformed(`the key ${quote(other, 80)} of the operation is not understood`);
  }
  if (typeof path !== "string" || /^\s*$|[\r\n]/.test(path)) {
    throw malformed(`"path" is ${typeof path === "string" ? quote(path, 80) : describeType(path)}`);
  }
  if (typeof diff !== "string") throw malformed(`"diff" is ${describeType(diff)}, not a string`);
  const mark = MARK.exec(diff)?.[0];
  if (mark !== undefined) {
    throw malformed(
      `the diff of ${quote(path, 200)} has the line ${quote(mark.trim())}, which ` +
        "begins the part of another file; send one operation for each file",
    );
  }
  const body = word === "Delete" ? [] : diff.replace(/\n$/, "").split("\n");
  const lines = body.length === 1 && body[0] === "" ? [] : body;
  const patch = ["*** Begin Patch", `*** ${word} File: ${path}`, ...lines, "*** End Patch"];
  return { name: TOOL, arguments: { [ARGUMENT]: patch.join("\n") } };
}
