import { pathRules } from "../../../base/fs/path_rules.ts";
import { CallError } from "../../../base/errors.ts";
import { readRegular } from "../../../base/fs/system_file.ts";
import { quotePath } from "../../../base/text/quote.ts";
import { osErrorMessage } from "../../../base/os_error_message.ts";
import { authorise, refusalOf } from "../../call/authorise.ts";
import type { CallOptions } from "../../call/call.ts";
import { workingDirectory } from "../../config/config_files.ts";
import { MAX_INPUT_BYTES } from "../../dialect/request.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";

/**
 * Reads a regular file that a person names on the command line, as text in UTF-8. A relative path
 * starts at the working directory. The flags must grant reading it, as they must for a call that
 * reads it. Rejects with `permission_denied`, or with `invalid_arguments` for a file that cannot be
 * used.
 */
export async function readGrantedFile(
  given: string,
  tool: RegisteredTool,
  options: CallOptions,
): Promise<string> {
  const path = pathRules.resolve(workingDirectory(), given);
  const { decisions, paths } = await authorise([{ name: "read", path }], options);
  const refusal = refusalOf({ tool, decisions });
  if (refusal !== undefined) throw refusal;
  try {
    const bytes = readRegular(paths[path]!, MAX_INPUT_BYTES, (file) => {
      // Something else may have replaced a directory of the path since the flags were asked.
      if ((file.realPath() ?? paths[path]) !== paths[path]) throw new Error("it was just replaced");
    });
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    const why = error instanceof TypeError ? "it is not text in UTF-8" : osErrorMessage(error);
    throw new CallError("invalid_arguments", `Cannot read the file ${quotePath(given)}: ${why}`, {
      tool: tool.metadata.name,
    });
  }
}
