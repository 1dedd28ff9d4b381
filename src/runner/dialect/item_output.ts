/** The answers to items of OpenAI's Responses that are no function calls. */

import { blockText } from "../../base/block_text.ts";
import type { JsonId } from "../../base/json/inexact_number.ts";
import { isObject } from "../../base/json/is_object.ts";
import { type ShellOutcome, type ShellOutput, shellText } from "../../base/shell_output.ts";
import type { CallItem } from "../call/call.ts";
import type { CallResult } from "../call/failure.ts";

/** The answer to a call of the shell, the local shell or apply_patch, or to an item for others. */
export function itemOutput(
  { type, repeated }: CallItem,
  id: JsonId,
  result: CallResult,
): Record<string, unknown> {
  const text = result.content.map((block) => blockText(block)).join("\n");
  const answer = { type: `${type}_output`, call_id: id };
  switch (type) {
    case "shell_call":
      return {
        ...answer,
        output: shellOutputs(result, text),
        status: "completed",
        ...repeated,
      };
    case "local_shell_call":
      // The API repeats the id of the call under this key.
      return {
        ...{ type: answer.type, id },
        output: JSON.stringify(shellOutputs(result, text)[0]),
        status: "completed",
      };
    case "apply_patch_call":
      return {
        ...answer,
        status: result.isError ? "failed" : "completed",
        output: text,
        ...repeated,
      };
    default:
      // No output fits an item that waits for somebody else. The model learns why it got none.
      return { type: "message", role: "user", content: `Error: ${text}` };
  }
}

/** The output of each command, or the reason why none ran as that of one command. */
function shellOutputs(result: CallResult, text: string): ShellOutput[] {
  const { structuredContent, isError } = result;
  const given = structuredContent?.["output"];
  const outputs = Array.isArray(given) && given.every(isShellOutput) ? given : [];
  if (isError || outputs.length === 0) {
    const [stdout, stderr] = isError ? ["", text] : [text, ""];
    return [{ stdout, stderr, outcome: outcomeOf(result) }];
  }
  // The sandbox may have added to the text which flags would have allowed more.
  const printed = shellText(outputs);
  const note = text.startsWith(printed) ? text.slice(printed.length).trim() : "";
  if (note === "") return outputs;
  const last = outputs.at(-1)!;
  const lines = [last.stderr.replace(/\n$/, ""), note].filter((line) => line !== "");
  return [...outputs.slice(0, -1), { ...last, stderr: `${lines.join("\n")}\n` }];
}

/** A field over the limit of structured data is missing, and the text is then the only output. */
function isShellOutput(value: unknown): value is ShellOutput {
  return isObject(value) && typeof value["stdout"] === "string" &&
    typeof value["stderr"] === "string" && isObject(value["outcome"]);
}

/** How a call without outputs ended. The codes are those of a shell that cannot start a program. */
function outcomeOf({ isError, _meta }: CallResult): ShellOutcome {
  const code = _meta?.["toolcall/error"]?.code;
  if (code === "timeout") return { type: "timeout" };
  const exits: Readonly<Record<string, number>> = { permission_denied: 126, tool_not_found: 127 };
  return { type: "exit", exit_code: isError ? exits[code ?? ""] ?? 1 : 0 };
}
