import { errorCode } from "../../../base/error_code.ts";
import { CallError } from "../../../base/errors.ts";
import { lookupTable } from "../../../base/lookup_table.ts";
import { quote } from "../../../base/text/quote.ts";
import { isThere } from "../policy/paths.ts";

/** The advice for a resource that ran out, by the error of the system. */
const LACKS = lookupTable<string>({
  EAGAIN: "the limit on processes is reached, of this user (ulimit -u) or of its container " +
    "(pids.max); end some processes, or raise it",
  EMFILE: "toolcall has as many open files as its limit allows; raise it: ulimit -n",
  ENFILE:
    "the machine has as many open files as it allows; end some programs, or raise fs.file-max",
  ENOMEM: "the machine has no memory for another process; end some programs",
});

/** The runtime opens it for each stream of a program that nobody reads or writes. */
const NULL_DEVICE = "/dev/null";

/**
 * The failure of a program at `path` that the system did not start because of `error`. It names the
 * resource that ran out. `why` replaces the system's own message.
 */
export function startFailure(path: string, error: unknown, why?: string): CallError {
  const code = errorCode(error);
  // The system's error does not say which of the two files is missing.
  const isDeviceMissing = code === "ENOENT" && isThere(path) && !isThere(NULL_DEVICE);
  const reason = isDeviceMissing
    ? `${NULL_DEVICE} does not exist; mount /dev`
    : why ?? (code === undefined ? undefined : LACKS[code]) ?? (error as Error).message;
  const message = `Cannot start ${quote(path)}: ${reason}`;
  return new CallError("unavailable", message, { program: path });
}
