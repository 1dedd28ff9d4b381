import { dirname } from "@std/path/posix/dirname";
import { resolve } from "@std/path/posix/resolve";
import { isInside, realPath } from "./paths.ts";

/** The files that make up this program: what changed them would run unconfined at the next call. */
export function ownPaths(programFolder: string): string[] {
  const runtime = Deno.realPathSync(Deno.execPath());
  const executable = Deno.env.get("TOOLCALL_EXECUTABLE");
  return [
    runtime,
    // Unpacked: the folder above holds every version, and says which one is current.
    ...(isInside(runtime, programFolder) ? [dirname(programFolder)] : []),
    ...(executable?.includes("/") ? [realPath(resolve(Deno.cwd(), executable))] : []),
  ];
}
