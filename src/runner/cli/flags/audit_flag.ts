import { basename } from "@std/path/posix/basename";
import { dirname } from "@std/path/posix/dirname";
import { join } from "@std/path/posix/join";
import { resolve } from "@std/path/posix/resolve";
import { quote } from "../../../base/text/quote.ts";
import { type Grants, programsMayWrite } from "../../sandbox/policy/grants.ts";
import { osErrorMessage } from "../../../base/os_error_message.ts";
import { UsageError } from "../../../base/errors.ts";

/**
 * The file that `--audit` names, by the real path of its folder: a last link stays, and is
 * refused when the file is opened. Throws {@link UsageError} where there is no such folder, and
 * for a file that programs of a call could write by `grants`.
 */
export function auditFile(
  given: string,
  { here, grants }: { here: string; grants?: Grants },
): string {
  const path = resolve(here, given);
  if (grants !== undefined && programsMayWrite(path, grants)) {
    const why = "it lies where programs that a call starts may write; keep it elsewhere";
    throw new UsageError(`Cannot use the log ${quote(given, 4096)}: ${why}`);
  }
  try {
    return join(Deno.realPathSync(dirname(path)), basename(path));
  } catch (error) {
    const why = osErrorMessage(error).toLowerCase();
    throw new UsageError(`Cannot use the log ${quote(given, 4096)}: its folder: ${why}`);
  }
}
