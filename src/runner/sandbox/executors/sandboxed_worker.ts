import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import { asDirectoryTool, type DirectoryTool } from "../../registry/tool_module.ts";
import { enterFileSandbox, fileRights } from "../linux/file_sandbox.ts";
import { revokeKinds } from "../policy/permissions.ts";
import { isDirectory } from "../policy/paths.ts";
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
  const module = asDirectoryTool(tool)?.code;
  const worker = confinedWorker({
    tool: tool.metadata.name,
    module,
    // A module gets no native code, not even for a moment.
    permissions: { ...permissions, ffi: landlock && module === undefined, run },
    workerModule,
    helper,
  });
  if (landlock) revokeKinds(["ffi"]);
  return worker;
}

/**
 * Runs a tool in a Worker that enters its sandbox when the call runs. This process stays as it is,
 * because it serves the tool.
 */
export function servedWorker(options: SandboxedOptions): Executor {
  const { program, helper } = options;
  return confinedWorker({
    // Until the call runs, only the Worker's own code runs there, and the kernel restricts the rest.
    permissions: { ...permissionsFor(options), read: true, write: true, ffi: true, run: false },
    workerModule: program.workerModule,
    landlock: { programDirectory: Deno.realPathSync(program.directory), isKept: false },
    helper,
  });
}

/**
 * Runs a tool of a tools directory that may write. Its Worker starts when the call runs, because it
 * may write exactly the files that the call was authorised to write, and nothing beside them.
 */
export function writingModuleWorker(
  tool: DirectoryTool,
  { landlock, ...options }: SandboxedOptions & { landlock: boolean },
): Executor {
  const kinds = options.kinds.filter((kind) => kind !== "write");
  const permissions = permissionsFor({ ...options, kinds });
  const { grants, program: { workerModule } } = options;
  let [worker, isRestricted]: [Executor | undefined, boolean] = [undefined, false];
  return {
    async run(job, running) {
      const write = job.writes.map(({ path }) => path);
      const directory = write.find(isDirectory);
      if (directory !== undefined) throw wholeDirectory(tool.metadata.name, directory);
      // A second try of the call is restricted already.
      if (landlock && !isRestricted) {
        enterFileSandbox(fileRights(permissions, { grants, write: [] }), job.writes);
        revokeKinds(["ffi"]);
      }
      isRestricted = true;
      worker?.close();
      worker = confinedWorker({
        tool: tool.metadata.name,
        module: tool.code,
        permissions: { ...permissions, write, ffi: false, run: false },
        workerModule,
      });
      return await worker.run(job, running);
    },
    close: () => worker?.close(),
  };
}

/** A directory would open what is protected in it, such as the hooks of a repository. */
function wholeDirectory(tool: string, path: string): CallError {
  const message = `Cannot run ${quote(tool)}: its "needs" names the directory ${quote(path)} to ` +
    `write; it must name each file`;
  return new CallError("tool_failed", message, { tool });
}
