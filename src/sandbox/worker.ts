import { dirname } from "@std/path/posix/dirname";
import { CallError } from "../call_error.ts";
import type { PermissionKind } from "../registry/define.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import type { Grants } from "./grants.ts";
import type { Answer, Order, Place } from "./job.ts";
import { enterFileWall } from "./landlock.ts";

/** What is needed to confine a tool. */
export interface Confinement {
  /** What the flags allow. */
  grants: Grants;
  /** The module that the Worker starts with. */
  workerModule: string;
  /** The folder of the program's own files. */
  programFolder: string;
  /** Whether that folder is all that the program loads from now on. */
  isBundled: boolean;
}

/**
 * Starts a Worker that has the flags' permissions, cut down to the tool's own
 * kinds, behind the kernel's wall where there is one, and begins to load the
 * tool there. Whatever the tool does, `close` ends it. From then on this thread
 * is behind the wall too.
 */
export function confinedWorker(tool: RegisteredTool, confinement: Confinement): Place {
  const { name, permissionKinds } = tool.metadata;
  const permissions = permissionsOf(permissionKinds, confinement);
  // From its sources the program also loads packages, from a cache whose place is the runtime's own.
  if (confinement.isBundled) enterFileWall(permissions);
  const worker = new Worker(confinement.workerModule, {
    type: "module",
    name,
    deno: { permissions },
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

function permissionsOf(kinds: readonly PermissionKind[], { grants, programFolder }: Confinement) {
  const scope = (kind: "read" | "write" | "env" | "sys" | "net"): true | string[] => {
    if (!kinds.includes(kind)) return [];
    const granted = grants.all || (grants.allow[kind] ?? []);
    return granted === true ? true : [...granted];
  };
  const [read, write] = [scope("read"), replaceable(scope("write"))];
  return {
    // The runtime asks for read access to a file that it renames. A tool that may
    // write a folder gets it there; what it reads for the call was authorised.
    read: read === true || write === true ? true as const : [...read, ...write, programFolder],
    write,
    env: scope("env"),
    sys: scope("sys") as boolean,
    net: scope("net"),
    run: false,
    ffi: false,
    import: false,
  };
}

/** A file is replaced through another beside it: so where one was granted, its folder is too. */
function replaceable(scope: true | string[]): true | string[] {
  return scope === true ? true : scope.map((path) => isFolder(path) ? path : dirname(path));
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}
