import { errorCode } from "./error_code.ts";
import { lookupTable } from "./lookup_table.ts";

/** The resource that an error of the system says is used up, and what helps. */
const SHORTAGES = lookupTable<string>({
  EAGAIN: "the limit on processes is reached, of this user (ulimit -u) or of its container " +
    "(pids.max); end some processes, or raise it",
  EMFILE: "toolcall has as many open files as its limit allows; raise it: ulimit -n",
  ENFILE:
    "the machine has as many open files as it allows; end some programs, or raise fs.file-max",
  ENOMEM: "the machine or its container has no memory left; end some programs",
  EFBIG: "the file would be larger than the limit on files; raise it: ulimit -f",
  ENOSPC: "the disk is full; remove some files",
  EDQUOT: "the disk quota of this user is used up; remove some files",
  EROFS: "the file system is read-only; use another directory, or mount it for writing",
});

/** Names the resource that ran out, and what helps; `undefined` for any other error. */
export function shortageOf(error: unknown): string | undefined {
  const code = errorCode(error);
  return code === undefined ? undefined : SHORTAGES[code];
}
