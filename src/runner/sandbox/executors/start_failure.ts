import { errorCode } from "../../../base/error_code.ts";
import { CallError } from "../../../base/errors.ts";
import { shortageOf } from "../../../base/shortage.ts";
import { quote } from "../../../base/text/quote.ts";
import { isThere } from "../policy/paths.ts";

/** The runtime opens it for each stream of a program that nobody reads or writes. */
const NULL_DEVICE = "/dev/null";

/**
 * The failure of a program at `path` that the system did not start because of `error`. It names the
 * resource that ran out. `why` replaces the system's own message.
 */
export function startFailure(path: string, error: unknown, why?: string): CallError {
  // The system's error does not say which of the two files is missing.
  const isDeviceMissing = errorCode(error) === "ENOENT" && isThere(path) && !isThere(NULL_DEVICE);
  const reason = isDeviceMissing
    ? `${NULL_DEVICE} does not exist; mount /dev`
    : why ?? shortageOf(error) ?? (error as Error).message;
  const message = `Cannot start ${quote(path)}: ${reason}`;
  return new CallError("unavailable", message, { program: path });
}

/** The failure of another process of this program that ended early. The system does not say why. */
export function endedEarly(what: string): CallError {
  const why = "the system may have no more processes (ulimit -u), open files (ulimit -n) or memory";
  return new CallError("unavailable", `${what} ended without a result; ${why}`);
}
