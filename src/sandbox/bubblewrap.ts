import { CallError } from "../call_error.ts";
import type { Grants } from "./grants.ts";
import { protectedPathsIn } from "./protected_paths.ts";

/** What bubblewrap is told. */
export interface BubblewrapOptions {
  /** What the flags allow. */
  grants: Grants;
  /** The call's temporary folder, which stays writable. */
  temporary: string;
  /** What it starts. */
  command: readonly string[];
}

/**
 * The arguments of `bwrap(1)` that make everything read-only but what the flags
 * let a call write, so that neither the mode nor the times of another file can be
 * changed; what no write grant of a folder covers stays read-only inside one.
 */
export function bubblewrapArguments({ grants, temporary, command }: BubblewrapOptions): string[] {
  const { all, allow, deny } = grants;
  const write = (all ? true : allow.write) ?? [];
  const writable = write === true ? ["/"] : write.filter(isThere);
  const named = new Set(write === true ? [] : write);
  const shut = [
    ...(deny.write === undefined || deny.write === true ? [] : deny.write.filter(isThere)),
    ...(all ? [] : writable.flatMap(protectedPathsIn).filter((path) => !named.has(path))),
  ];
  const mounts = [
    ...(writable.includes("/") ? ["--bind", "/", "/"] : ["--ro-bind", "/", "/"]),
    ...["--dev-bind", "/dev", "/dev"],
    ...[...writable, temporary].filter((path) => path !== "/")
      .flatMap((path) => ["--bind", path, path]),
    ...shut.flatMap((path) => ["--ro-bind", path, path]),
  ];
  return [...mounts, "--die-with-parent", "--", ...command];
}

/** Throws `unavailable` with bubblewrap's own words when it is missing or does not work here. */
export async function tryBubblewrap(): Promise<void> {
  try {
    const { success, stderr } = await new Deno.Command("bwrap", {
      args: ["--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "true"],
      stdin: "null",
      stdout: "null",
    }).output();
    if (success) return;
    throw new Error(new TextDecoder().decode(stderr).trim());
  } catch (error) {
    const why = error instanceof Deno.errors.NotFound
      ? "it is not installed"
      : (error as Error).message;
    throw new CallError(
      "unavailable",
      `Cannot use --wall=bwrap: ${why}; without the flag the call runs behind the other walls`,
    );
  }
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
