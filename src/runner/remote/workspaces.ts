/**
 * The workspaces of a worker: a directory for each batch or session, which no other batch can reach.
 * Each worker has a directory with a lock, so that the next worker removes what a killed one left.
 */

import { CallError } from "../../base/errors.ts";
import { byteSize, thousands } from "../../base/text/amounts.ts";
import { type CallResult, failureResult } from "../call/failure.ts";
import type { Grants } from "../sandbox/policy/grants.ts";
import type { Scope } from "../sandbox/policy/scope.ts";
import { removeTree, sizeOf, type TreeSize } from "./workspace_tree.ts";

/** The interval at which the size of a workspace is looked at while a call runs, in milliseconds. */
const WATCH_MS = 2_000;

/** The end of the name of a lock. */
const LOCK = ".lock";

/** The limits of a workspace. */
export interface WorkspaceLimits extends TreeSize {
  /** The time without calls after which it is removed, in milliseconds. */
  idleMs: number;
}

interface Workspace {
  path: string;
  calls: Set<AbortController>;
  isEnded: boolean;
  fault?: CallError;
  onEnd?: () => void;
  idle?: ReturnType<typeof setTimeout>;
  watch?: ReturnType<typeof setInterval>;
}

/** The workspaces of one worker. */
export class Workspaces {
  readonly #byKey = new Map<string, Workspace>();
  readonly #removals = new Set<Promise<void>>();

  private constructor(
    readonly parent: string,
    readonly limits: WorkspaceLimits,
    readonly own: { path: string; lock: Deno.FsFile },
  ) {}

  /**
   * Makes the directory of a worker below `parent`, a real path that only this user can enter, and
   * removes those of killed workers.
   */
  static async open(parent: string, limits: WorkspaceLimits): Promise<Workspaces> {
    for await (const { name } of Deno.readDir(parent)) {
      if (name.endsWith(LOCK)) await removeLeft(`${parent}/${name}`);
    }
    const path = `${parent}/${crypto.randomUUID()}`;
    const lock = await Deno.open(`${path}${LOCK}`, { write: true, createNew: true, mode: 0o600 });
    await lock.lock(true);
    await Deno.mkdir(path, { mode: 0o700 });
    return new Workspaces(parent, limits, { path, lock });
  }

  /** Makes the workspace of a key, unless it is there. */
  async make(key: string): Promise<void> {
    if (this.#byKey.has(key)) return;
    const workspace = this.#new();
    this.#byKey.set(key, workspace);
    try {
      await Deno.mkdir(workspace.path, { mode: 0o700 });
    } catch (error) {
      this.#byKey.delete(key);
      throw error;
    }
    this.#wait(key, workspace);
  }

  /**
   * Runs a call in the workspace of a key, or in one of its own without a key. It gets the directory.
   * The call is aborted if the workspace becomes too large, and its result says so. Rejects with
   * `unavailable` for a workspace that is gone or too large.
   */
  async run(
    key: string | undefined,
    stop: AbortController,
    call: (directory: string) => Promise<CallResult>,
  ): Promise<CallResult> {
    const workspace = key === undefined ? this.#new() : this.#byKey.get(key);
    if (workspace === undefined) throw new CallError("unavailable", "The workspace is gone");
    if (key === undefined) await Deno.mkdir(workspace.path, { mode: 0o700 });
    clearTimeout(workspace.idle);
    workspace.calls.add(stop);
    workspace.watch ??= setInterval(() => this.#watch(workspace), WATCH_MS);
    try {
      const fault = await this.#faultOf(workspace);
      if (fault !== undefined) throw fault;
      const result = await call(workspace.path);
      return workspace.fault === undefined ? result : failureResult(workspace.fault);
    } finally {
      workspace.calls.delete(stop);
      if (workspace.calls.size === 0) {
        clearInterval(workspace.watch);
        delete workspace.watch;
        delete workspace.fault;
        if (key === undefined || workspace.isEnded) this.#remove(workspace);
        else this.#wait(key, workspace);
      }
    }
  }

  /** Ends a workspace: cancels its calls, and removes it. */
  end(key: string): void {
    const workspace = this.#byKey.get(key);
    if (workspace === undefined) return;
    this.#byKey.delete(key);
    clearTimeout(workspace.idle);
    workspace.isEnded = true;
    workspace.onEnd?.();
    if (workspace.calls.size === 0) this.#remove(workspace);
    for (const stop of workspace.calls) stop.abort();
  }

  /** Sets what happens when the workspace of a key ends. */
  onEnd(key: string, callback: () => void): void {
    const workspace = this.#byKey.get(key);
    if (workspace !== undefined) workspace.onEnd = callback;
  }

  /** Whether a key has a workspace. */
  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Removes all workspaces. Call it when no call runs. */
  async close(): Promise<void> {
    for (const key of [...this.#byKey.keys()]) this.end(key);
    await Promise.all(this.#removals);
    await removeTree(this.own.path).catch(() => {});
    await Deno.remove(`${this.own.path}${LOCK}`).catch(() => {});
    this.own.lock.close();
  }

  /** The grants of a call in a workspace: a grant of the parent is one of the workspace. */
  grantsIn(directory: string, grants: Grants): Grants {
    const own = (scope: Scope | undefined) =>
      Array.isArray(scope) ? scope.map((each) => each === this.parent ? directory : each) : scope;
    const { read, write } = grants.allow;
    return {
      ...grants,
      allow: {
        ...grants.allow,
        ...(read !== undefined && { read: own(read)! }),
        ...(write !== undefined && { write: own(write)! }),
      },
    };
  }

  #new(): Workspace {
    const path = `${this.own.path}/${crypto.randomUUID()}`;
    return { path, calls: new Set(), isEnded: false };
  }

  #wait(key: string, workspace: Workspace): void {
    workspace.idle = setTimeout(() => this.end(key), this.limits.idleMs);
  }

  #remove({ path }: Workspace): void {
    const removal = removeTree(path).catch(() => {}).finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }

  async #watch(workspace: Workspace): Promise<void> {
    const fault = await this.#faultOf(workspace);
    if (fault === undefined || workspace.calls.size === 0) return;
    workspace.fault = fault;
    for (const stop of workspace.calls) stop.abort();
  }

  async #faultOf({ path }: Workspace): Promise<CallError | undefined> {
    const { bytes, files } = await sizeOf(path, this.limits);
    if (bytes <= this.limits.bytes && files <= this.limits.files) return undefined;
    const what = bytes > this.limits.bytes
      ? `has more than ${byteSize(this.limits.bytes)}`
      : `has more than ${thousands(this.limits.files)} files`;
    const message = `The workspace ${what}, the limit of its worker; use another workspace`;
    return new CallError("unavailable", message, { bytes, files });
  }
}

/** Removes the directory of a worker, if the worker no longer has its lock. */
async function removeLeft(lock: string): Promise<void> {
  try {
    using file = await Deno.open(lock, { write: true });
    if (!await file.tryLock(true)) return;
    await removeTree(lock.slice(0, -LOCK.length));
    await Deno.remove(lock);
  } catch { /* Another worker removes it, or it is not ours. */ }
}
