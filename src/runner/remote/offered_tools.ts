/** The tools that a worker offers. */

import type { CallOptions } from "../call/call.ts";
import { isSubjectName } from "./subjects.ts";

/**
 * Returns the names and aliases of the tools that calls can use under these options. A tool is left
 * out if it asks a person, if the flags grant none of the permissions it can need, or if its name
 * cannot be a subject.
 */
export async function offeredTools(
  { registry, grants: { all, allow } }: Pick<CallOptions, "registry" | "grants">,
): Promise<string[]> {
  const offered: string[] = [];
  for (const entry of registry.entries()) {
    const { metadata } = await entry.load();
    const { permissionKinds: kinds, sideEffect } = metadata;
    if (sideEffect === "blocking") continue;
    const isGranted = all || kinds.length === 0 || kinds.some((kind) => allow[kind] !== undefined);
    if (!isGranted) continue;
    offered.push(...[metadata.name, ...metadata.aliases].filter(isSubjectName));
  }
  return offered;
}
