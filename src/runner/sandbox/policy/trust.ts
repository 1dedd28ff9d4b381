/**
 * The rule of every look-up: a file that a call could have written never decides what a later call
 * starts, reads or executes. A path is trusted when no named write grant covers a step on the way
 * to its file. Such a step is a symlink, a directory that the way leaves by "..", or the file.
 */

import { isInside, resolutionSteps } from "./paths.ts";
import type { Scope } from "./scope.ts";

/** Whether a named write grant covers `path`, which is real. A bare `--allow-write` counts as none. */
export function isWritable(path: string, writable: Scope | undefined): boolean {
  return Array.isArray(writable) && writable.some((folder) => isInside(path, folder));
}

/**
 * The first step on the way to the absolute `path` that a call with this write grant could have
 * made or replaced, the file itself included. `undefined` means that the path is trusted.
 */
export function untrustedStep(path: string, writable: Scope | undefined): string | undefined {
  if (!Array.isArray(writable) || writable.length === 0) return undefined;
  return resolutionSteps(path).find((step) => isWritable(step, writable));
}

/** The same without the file itself: the first step that could lead the path to another file. */
export function untrustedLink(path: string, writable: Scope | undefined): string | undefined {
  if (!Array.isArray(writable) || writable.length === 0) return undefined;
  return resolutionSteps(path).slice(0, -1).find((step) => isWritable(step, writable));
}

/** The trusted ones of the absolute `paths`. */
export function trustedPaths(paths: readonly string[], writable: Scope | undefined): string[] {
  return paths.filter((path) => untrustedStep(path, writable) === undefined);
}

/**
 * The value of PATH for a program that runs outside the sandbox: the absolute, trusted
 * directories of `value`. It is never empty, because an empty PATH means the working directory.
 */
export function trustedPath(value: string, writable: Scope | undefined): string {
  const absolute = value.split(":").filter((folder) => folder.startsWith("/"));
  return trustedPaths(absolute, writable).join(":") || "/nonexistent";
}
