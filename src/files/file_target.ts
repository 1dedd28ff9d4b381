import { cannot, type FileTarget, systemError } from "./system_error.ts";

/** What turns a path of the call into the real path that was authorised. */
export interface PathResolver {
  /** The real path of one that the call named; throws for any other. */
  path(path: string): string;
}

/**
 * The file that a call names. Throws a readable error when its path cannot be
 * resolved, such as for links that go round in a circle.
 */
export function fileTarget(
  resolver: PathResolver,
  options: { given: string; action: FileTarget["action"] },
): FileTarget {
  try {
    return { ...options, path: resolver.path(options.given) };
  } catch (error) {
    throw systemError(error, { ...options, path: options.given });
  }
}

/**
 * What the system says of a regular file, or `undefined` when there is none.
 * Throws for a folder, pipe, device or socket: none of them is ever opened,
 * because opening one can wait for ever.
 */
export function statRegular(target: FileTarget): Deno.FileInfo | undefined {
  let info: Deno.FileInfo;
  try {
    info = Deno.statSync(target.path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw systemError(error, target);
  }
  if (info.isFile) return info;
  throw new Error(`${cannot(target)}: it is ${otherKind(info)}`, {
    cause: { systemError: info.isDirectory ? "EISDIR" : "EINVAL" },
  });
}

function otherKind(info: Deno.FileInfo): string {
  if (info.isDirectory) return "a folder; list it with Glob, fs.list or file";
  if (info.isFifo) return "a named pipe (FIFO), not a regular file";
  if (info.isSocket) return "a socket, not a regular file";
  if (info.isCharDevice || info.isBlockDevice) {
    return "a device, not a regular file";
  }
  return "not a regular file";
}
