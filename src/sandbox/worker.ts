import { CallError } from "../call_error.ts";
import type { PermissionKind } from "../registry/define.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import type { Grants, Scope } from "./grants.ts";
import type { Answer, Order, Place } from "./job.ts";

/** What is needed to confine a tool. */
export interface Confinement {
  /** What the flags allow. */
  grants: Grants;
  /** The module that the Worker starts with. */
  workerModule: URL;
  /** The folder of the program's own files. */
  programFolder: URL;
}

/**
 * Starts a Worker that has the flags' permissions, cut down to the tool's own
 * kinds, and begins to load the tool there. Whatever the tool does, `close`
 * ends it.
 */
export function confinedWorker(tool: RegisteredTool, confinement: Confinement): Place {
  const { name, permissionKinds } = tool.metadata;
  const worker = new Worker(confinement.workerModule, {
    type: "module",
    name,
    deno: { permissions: permissionsOf(permissionKinds, confinement) },
  });
  const answer = new Promise<Answer>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Answer>) => resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new CallError("internal", `The tool's thread ended: ${event.message}`));
    };
  });
  // A thread that fails before its job is sent is reported when it is.
  answer.catch(() => {});
  const tell = (order: Order) => worker.postMessage(order);
  return {
    async run(job, signal) {
      tell({ job });
      signal.addEventListener("abort", () => {
        const { message, name } = signal.reason;
        tell({ stop: { message, name } });
      });
      const said = await answer;
      if ("content" in said) return said.content;
      throw new CallError(said.code, said.message, said.details);
    },
    close: () => worker.terminate(),
  };
}

function permissionsOf(
  kinds: readonly PermissionKind[],
  { grants, programFolder }: Confinement,
): Deno.PermissionOptionsObject {
  const scope = (kind: "read" | "write" | "env" | "sys" | "net"): Scope => {
    if (!kinds.includes(kind)) return [];
    return grants.all ? true : grants.allow[kind] ?? [];
  };
  const [read, write] = [scope("read"), scope("write")];
  // The runtime asks for read access to a file that it renames. A tool that
  // may write a folder gets it there; what it reads for the call was authorised.
  const readable = read === true || write === true
    ? true
    : [...read, ...write, decodeURIComponent(programFolder.pathname)];
  return {
    read: readable,
    write: mutable(write),
    env: mutable(scope("env")),
    sys: mutable(scope("sys")) as boolean,
    net: mutable(scope("net")),
    run: false,
    ffi: false,
    import: false,
  };
}

function mutable(scope: Scope): true | string[] {
  return scope === true ? true : [...scope];
}
