import { resolve } from "@std/path/posix/resolve";
import type { ToolContext } from "../registry/define.ts";
import { quote } from "../quote.ts";
import { decide } from "./grants.ts";
import type { Job } from "./job.ts";

/** The half of a tool's context that is the same inside and outside a Worker. */
export function contextOf(
  { cwd, paths, grants }: Job,
  signal: AbortSignal,
): Omit<ToolContext, "spawn" | "helper"> {
  return {
    cwd,
    signal,
    path(path) {
      const absolute = resolve(cwd, path);
      if (Object.hasOwn(paths, absolute)) return paths[absolute]!;
      throw new Error(`The path ${quote(path)} was not authorised`);
    },
    mayRead: (path) => decide({ name: "read", path }, grants).granted,
  };
}
