/** Tools that start no programs, in this thread, under flags that allow less than everything. */

import type { PermissionKind } from "../../registry/define.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import { enterFileSandbox, fileRights, openFileSandbox } from "../linux/file_sandbox.ts";
import type { Grants } from "../policy/grants.ts";
import {
  leaveNativeCode,
  permissionsOf,
  revokeKinds,
  type RuntimePermissions,
} from "../policy/permissions.ts";
import { confinedContext, confinedFailure, executeHere } from "./context.ts";
import type { Program } from "../../program.ts";
import type { Executor } from "./executor.ts";
import type { Helper } from "./helper.ts";

/** The options of an executor for tools that start no programs. */
export interface SandboxedOptions {
  /** This program. */
  program: Program;
  /** The permissions of the flags. */
  grants: Grants;
  /** The kinds of permission that the tool has in this call. */
  kinds: readonly PermissionKind[];
  /** The program that the tool may start, if it declares one that is there. */
  helper: Helper | undefined;
}

/** Whether this machine has Landlock. */
export function hasLandlock(): boolean {
  return openFileSandbox();
}

/**
 * Runs a tool in the main thread. Landlock restricts its files from the call's start, for good. The
 * thread may write only what this call was authorised to write. It gives up every other kind of
 * permission in which the tool has nothing.
 */
export function sandboxedInProcess(tool: RegisteredTool, options: SandboxedOptions): Executor {
  const permissions = permissionsFor(options);
  const { grants, helper } = options;
  helper?.open();
  revokeUnused(permissions);
  let isRestricted = false;
  return executeHere(tool, {
    context(job, running) {
      // A second try of the call is restricted already.
      if (!isRestricted) {
        enterFileSandbox(fileRights(permissions, { grants, write: [] }), job.writes, helper);
        leaveNativeCode();
      }
      isRestricted = true;
      return confinedContext(job, running, { helper, landlock: true });
    },
    failure: confinedFailure,
  });
}

/**
 * Restricts this thread, and its files by the kernel, for good to what the flags open to tools that
 * only read. Returns the executor of such a tool in this thread.
 */
export function confineReaders(
  { grants, programDirectory }: { grants: Grants; programDirectory: string },
): (tool: RegisteredTool) => Executor {
  const permissions = permissionsOf(["read"], { grants, own: Deno.realPathSync(programDirectory) });
  revokeUnused(permissions);
  enterFileSandbox(fileRights(permissions, { grants, write: [] }), []);
  leaveNativeCode();
  return (tool) => executeHere(tool, { context: confinedContext, failure: confinedFailure });
}

/** The permissions of the flags for a tool. */
export function permissionsFor(
  { program, grants, kinds }: Omit<SandboxedOptions, "helper">,
): RuntimePermissions {
  return permissionsOf(kinds, { grants, own: Deno.realPathSync(program.directory) });
}

/** Gives up every kind of permission in which there is nothing. */
function revokeUnused(permissions: RuntimePermissions): void {
  const kinds = ["read", "write", "env", "sys", "net", "run", "import"] as const;
  revokeKinds(kinds.filter((name) => isNothing(permissions[name])));
}

function isNothing(values: boolean | string[]): boolean {
  return values === false || values !== true && values.length === 0;
}
