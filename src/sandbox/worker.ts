import { dirname } from "@std/path/posix/dirname";
import { CallError } from "../call_error.ts";
import type { Permission, PermissionKind } from "../registry/define.ts";
import type { Grants, Scope } from "./grants.ts";
import type { Answer, Job, Order, Running } from "./job.ts";

/** What is needed to confine a call. */
export interface Confinement {
  /** Aborted to tell the tool to end. */
  signal: AbortSignal;
  /** The module that the Worker starts with. */
  workerModule: URL;
  /** The folder of the program's own files. */
  programFolder: URL;
  /** What this call needs. */
  needs: readonly Permission[];
  /** The kinds of permission that the tool can ever use. */
  kinds: readonly PermissionKind[];
}

/**
 * Runs a tool in a Worker that has the flags' permissions, cut down to the
 * tool's own kinds. Whatever the tool does, `stop` ends it.
 */
export function runInWorker(job: Job, confinement: Confinement): Running {
  const { signal } = confinement;
  const worker = new Worker(confinement.workerModule, {
    type: "module",
    name: job.tool,
    deno: { permissions: workerPermissions(job.grants, confinement) },
  });
  const content = new Promise<Extract<Answer, { content: unknown }>["content"]>(
    (done, fail) => {
      worker.onmessage = ({ data }: MessageEvent<Answer>) => {
        if ("content" in data) done(data.content);
        else fail(new CallError(data.code, data.message, data.details));
      };
      worker.onerror = (event) => {
        event.preventDefault();
        fail(
          new CallError(
            "internal",
            `The tool's thread ended: ${event.message}`,
          ),
        );
      };
    },
  );
  const tell = (order: Order) => worker.postMessage(order);
  const abort = () =>
    tell({
      stop: { message: signal.reason.message, name: signal.reason.name },
    });
  signal.addEventListener("abort", abort);
  tell({ job });
  if (signal.aborted) abort();
  return {
    content,
    stop() {
      signal.removeEventListener("abort", abort);
      worker.terminate();
    },
  };
}

function workerPermissions(
  grants: Grants,
  { needs, kinds, programFolder }: Confinement,
): Deno.PermissionOptionsObject {
  const scope = (kind: "read" | "write" | "env" | "sys" | "net"): Scope => {
    if (!kinds.includes(kind)) return [];
    return grants.all ? true : grants.allow[kind] ?? [];
  };
  const read = scope("read");
  // To replace a file in one step, the runtime asks to read the folder it writes in.
  const written = needs.flatMap((need) =>
    need.name === "write" ? [existingFolder(dirname(need.path))] : []
  );
  const own = decodeURIComponent(programFolder.pathname);
  return {
    read: read === true ? true : [...read, ...written, own],
    write: mutable(scope("write")),
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

/** The nearest folder that is there: what is missing below it will be created. */
function existingFolder(path: string): string {
  try {
    Deno.lstatSync(path);
    return path;
  } catch {
    return existingFolder(dirname(path));
  }
}
