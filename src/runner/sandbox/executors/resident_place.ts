/** Where tools run in a process that answers many calls, and so can enter no wall itself. */

import { CallError, type FailureCode } from "../../../base/errors.ts";
import { blockText } from "../../../base/block_text.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import { type Confinement, hasFileWall, staysInThread } from "./confined.ts";
import { eitherPlace, isEither, withoutNetwork } from "./either_place.ts";
import { isUnrestricted } from "../policy/grants.ts";
import { thisThread } from "./in_place.ts";
import type { Job, Place, PlaceOutput, RunOptions } from "./job.ts";
import { networkPlace } from "./network_place.ts";
import { ownCall, type OwnResult } from "./own_call.ts";
import { permissionsOf } from "../policy/permissions.ts";
import { servicesOf } from "./services.ts";
import { fileWallVersion } from "../walls.ts";
import { confinedWorker } from "./worker.ts";
import type { WorkerPool } from "./worker_pool.ts";

/** What is needed to place a call in such a process. */
export interface ResidentOptions extends Confinement {
  /** The Workers of the process. */
  pool: WorkerPool;
  /** The flags for a process of this program that answers under the same ones. */
  flags: readonly string[];
}

let hasWall: boolean | undefined;

/**
 * A tool of the network gets a Worker of its own, as ever, and one that uses services too.
 * One of files alone runs in a Worker of the pool; behind a wall that has to be one whose
 * calls end by themselves. Every other, and so what starts programs, is answered by a
 * process of this program: walls are entered for good.
 */
export function residentPlace(tool: RegisteredTool, options: ResidentOptions): Place {
  const { grants, workerModule, isBundled, pool } = options;
  const { name, permissionKinds, uses } = tool.metadata;
  // A tool of MCP servers does nothing itself: they are spoken to by the engine.
  if (permissionKinds.includes("mcp")) return thisThread(tool, options.programFolder);
  if (permissionKinds.includes("net")) {
    const network = networkPlace(tool, options);
    if (!isEither(tool)) return network;
    return eitherPlace(network, () => residentPlace(withoutNetwork(tool), options));
  }
  const own = Deno.realPathSync(options.programFolder);
  const permissions = permissionsOf(permissionKinds, { grants, own });
  if (uses !== undefined) return confinedWorker({ tool: name, permissions, workerModule });
  if (!permissionKinds.includes("run") && isUnrestricted(grants)) {
    const loaded = { ...permissions, ffi: true };
    return pool.place(JSON.stringify(permissionKinds), { permissions: loaded, workerModule });
  }
  hasWall ??= fileWallVersion() > 0;
  if (!staysInThread(tool) || !hasFileWall(tool, isBundled) || !hasWall) {
    return processPlace(options);
  }
  // Not the runtime but the kernel holds the paths: of the kinds the thread has only files.
  const opened = { ...permissions, read: true, write: true, ffi: true } as const;
  const wall = { programFolder: own };
  const kind = JSON.stringify([permissionKinds, grants]);
  return pool.place(kind, { permissions: opened, workerModule, wall });
}

/** A process of this program for one call. */
function processPlace(options: ResidentOptions): Place {
  const run = async (job: Job, { signal, serve, onPrint }: RunOptions): Promise<PlaceOutput> => {
    const call = { name: job.tool, arguments: job.args };
    const onProgress = job.isFollowed ? servicesOf(serve).progress : undefined;
    const counted = { ...options, isCounted: true, onProgress, ...(onPrint && { onPrint }) };
    const { content, structuredContent, _meta } = await ownCall(call, counted, signal) as Printed;
    const error = _meta?.["toolcall/error"];
    if (error === undefined) {
      const ended = _meta?.["toolcall/ended"];
      const output = structuredContent === undefined ? { content } : { content, structuredContent };
      if (ended !== undefined) return { ...output, meta: { "toolcall/ended": ended } };
      return structuredContent === undefined ? content : { content, structuredContent };
    }
    const { code, ...details } = error;
    const message = content.map((block) => blockText(block)).join("\n");
    throw new CallError(code, message, details, content);
  };
  return { run, keepsTime: true, close() {} };
}

/** What such a process prints, as far as it is looked at here. */
type Printed = OwnResult & {
  structuredContent?: Record<string, unknown>;
  _meta?: {
    "toolcall/error"?: { code: FailureCode } & Record<string, unknown>;
    "toolcall/ended"?: string[];
  };
};
