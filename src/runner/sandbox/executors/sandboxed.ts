/** The executors for tools that start no programs, under flags that allow less than everything. */

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
import { confinedWorker } from "./worker.ts";

/** The options that these executors need. */
interface SandboxedOptions {
  program: Program;
  grants: Grants;
  /** The kinds of permission that the tool has in this call. */
  kinds: readonly PermissionKind[];
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
  const { grants } = options;
  const kinds = ["read", "write", "env", "sys", "net", "run", "import"] as const;
  revokeKinds(kinds.filter((name) => isNothing(permissions[name])));
  let isRestricted = false;
  return executeHere(tool, {
    context(job, running) {
      // A second try of the call is restricted already.
      if (!isRestricted) {
        enterFileSandbox(fileRights(permissions, { grants, write: [] }), job.writes);
        leaveNativeCode();
      }
      isRestricted = true;
      return confinedContext(job, running);
    },
    failure: confinedFailure,
  });
}

/**
 * Runs a tool in a Worker that can be stopped and has the permissions of the flags. With
 * `landlock` this process is restricted before the Worker starts, and so is the Worker.
 */
export function sandboxedWorker(
  tool: RegisteredTool,
  { landlock, ...options }: SandboxedOptions & { landlock: boolean },
): Executor {
  const permissions = permissionsFor(options);
  const { workerModule } = options.program;
  if (landlock) {
    const write = permissions.write === true ? ["/"] : permissions.write;
    enterFileSandbox(fileRights(permissions, { grants: options.grants, write }), []);
  }
  // The Worker loads native code that opens files without waiting, before it runs any tool's code.
  const loaded = { ...permissions, ffi: landlock };
  const worker = confinedWorker({ tool: tool.metadata.name, permissions: loaded, workerModule });
  if (landlock) revokeKinds(["ffi"]);
  return worker;
}

function permissionsFor({ program, grants, kinds }: SandboxedOptions): RuntimePermissions {
  return permissionsOf(kinds, { grants, own: Deno.realPathSync(program.directory) });
}

function isNothing(values: boolean | string[]): boolean {
  return values === false || values !== true && values.length === 0;
}
