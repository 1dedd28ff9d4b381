import { resolve } from "@std/path/posix/resolve";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { Permission } from "../registry/define.ts";
import { decide, type Decision, valueOf } from "../sandbox/policy/grants.ts";
import type { FileToWrite } from "../sandbox/executors/executor.ts";
import { isKernelPath, realPath } from "../sandbox/policy/paths.ts";
import { osErrorMessage } from "../../base/os_error_message.ts";
import type { CallOptions, Prepared } from "./call.ts";

/** Asks the flags about each thing that a call needs. Throws {@link CallError} for a path that cannot be. */
export async function authorise(
  needs: Permission[],
  { cwd, grants }: CallOptions,
): Promise<Pick<Prepared, "decisions" | "paths" | "writes" | "hosts">> {
  const paths: Record<string, string> = {};
  const writes: FileToWrite[] = [];
  const hasHost = needs.some(({ name }) => name === "net");
  const net = hasHost ? await import("../sandbox/policy/host_grants.ts") : undefined;
  const decisions = needs.map((need) => {
    if (need.name === "net") return net!.decideNet(need, grants);
    if (need.name !== "read" && need.name !== "write") {
      return decide(need, grants);
    }
    const path = resolve(cwd, need.path);
    paths[path] ??= lookUp(path, need.path);
    if (need.name === "write" && isKernelPath(path) && !isKernelPath(paths[path])) {
      const why = "it leads through the kernel's own files; name the file itself";
      throw new CallError("tool_failed", `Cannot write ${quote(need.path)}: ${why}`);
    }
    const decision = decide({ name: need.name, path: paths[path] }, grants);
    if (need.name === "write" && decision.granted) {
      const { name: _, ...file } = need;
      writes.push({ ...file, path: paths[path] });
    }
    return decision;
  });
  const hosts = decisions.flatMap(({ permission }) =>
    permission.name === "net" ? permission.host : []
  );
  return { decisions, paths, writes, hosts };
}

function lookUp(path: string, given: string): string {
  if (given.includes("\0")) {
    const message = `Cannot use the path ${quote(given)}: it holds a NUL character`;
    throw new CallError("invalid_arguments", message);
  }
  try {
    return realPath(path);
  } catch (error) {
    // Of the kernel's own file systems the runtime tells nothing; the flags are asked all the same.
    if (error instanceof Deno.errors.NotCapable) return path;
    const reason = osErrorMessage(error)
      .toLowerCase();
    throw new CallError(
      "tool_failed",
      `Cannot look up the path ${quote(given)}: ${reason}`,
    );
  }
}

/** Why the flags refuse a call, or nothing when they grant all that it needs. */
export function refusalOf({ tool, decisions }: Prepared): CallError | undefined {
  const refused = decisions.filter(({ granted }) => !granted);
  if (refused.length === 0) return undefined;
  return new CallError(
    "permission_denied",
    refused.map(refusalText).join("\n"),
    {
      tool: tool.metadata.name,
      needs: refused.map(({ permission, flag, denied }) => ({
        ...permission,
        flag,
        denied,
      })),
    },
  );
}

function refusalText({ permission, flag, denied, why }: Decision): string {
  const verb = permission.name === "read" || permission.name === "write" ? permission.name : "use";
  const words = /^[\w./@:+,=-]+$/.test(flag) ? flag : quote(flag, 4096);
  const needs = why === undefined ? `needs ${words}` : `${why}: needs ${words}`;
  const reason = denied ? `${words} forbids it` : needs;
  return `Cannot ${verb} ${quote(valueOf(permission))}: ${reason}`;
}
