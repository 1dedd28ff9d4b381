import type { RegisteredTool } from "../../registry/registered_tool.ts";
import { enterFileSandbox, fileRights } from "../linux/file_sandbox.ts";
import { revokeKinds } from "../policy/permissions.ts";
import type { Executor } from "./executor.ts";
import { permissionsFor, type SandboxedOptions } from "./sandboxed.ts";
import { confinedWorker } from "./worker.ts";

/**
 * Runs a tool in a Worker that can be stopped and has the permissions of the flags. With
 * `landlock` this process is restricted before the Worker starts, and so is the Worker.
 */
export function sandboxedWorker(
  tool: RegisteredTool,
  { landlock, helper, ...options }: SandboxedOptions & { landlock: boolean },
): Executor {
  const permissions = permissionsFor(options);
  const { workerModule } = options.program;
  if (landlock) {
    const write = permissions.write === true ? ["/"] : permissions.write;
    enterFileSandbox(fileRights(permissions, { grants: options.grants, write }), []);
  }
  // The Worker loads native code that opens files without waiting, before it runs any tool's code.
  const run = helper === undefined ? false : [helper.path];
  const worker = confinedWorker({
    tool: tool.metadata.name,
    permissions: { ...permissions, ffi: landlock, run },
    workerModule,
    helper,
  });
  if (landlock) revokeKinds(["ffi"]);
  return worker;
}
