import { byteSize } from "../../../base/text/amounts.ts";
import { type FileChange, haveSameBytes, MAX_CHANGED_BYTES } from "../../../base/fs/change_set.ts";
import { lockFile } from "../../../base/fs/file_lock.ts";
import type { ToolContext } from "../../../runner/registry/tool_context.ts";
import { callFile } from "../call_file.ts";
import { ByteSource } from "../read/byte_source.ts";
import { parsePatch } from "./parse_patch.ts";
import type { Patch } from "./patch.ts";
import { type PatchedFile, planChanges } from "./plan_changes.ts";
import { pathsOf } from "./patch_needs.ts";
import { patchResult } from "./patch_result.ts";

/**
 * Applies a patch to the files that it names: to all of them or to none. The locks that all edits
 * take are held meanwhile, so that no edit is lost. Returns a line for each file, and what was
 * ignored to apply the patch. Throws a readable error for each part that does not apply.
 */
export async function applyPatch(
  text: string,
  ctx: Pick<ToolContext, "path" | "mayRead" | "signal" | "patches">,
): Promise<string> {
  const patch = parsePatch(text);
  using locks = new DisposableStack();
  const files = await openFiles(patch, { ctx, locks });
  ctx.signal.throwIfAborted();
  const steps = planChanges(patch, files);
  const changes = changesOf(files);
  if (changes.length > 0) await ctx.patches.commit(changes);
  return patchResult(patch, { steps, isChanged: changes.length > 0 });
}

/** Locks and reads the files, in the order of their paths, so that two patches never block. */
async function openFiles(
  patch: Patch,
  { ctx, locks }: {
    ctx: Pick<ToolContext, "path" | "mayRead" | "signal">;
    locks: DisposableStack;
  },
): Promise<Map<string, PatchedFile>> {
  const { signal } = ctx;
  const named = new Set(patch.files.flatMap((file) => pathsOf(file)));
  const targets = [...named].map((given) => callFile(ctx, { given, action: "patch" }));
  const byPath = new Map<string, PatchedFile>();
  const advice = `a patch takes files of up to ${byteSize(MAX_CHANGED_BYTES)}`;
  for (const target of targets.toSorted((a, b) => a.path < b.path ? -1 : 1)) {
    // Two names may lead to the same file.
    if (byPath.has(target.path)) continue;
    const locked = await lockFile(target, { signal, read: true });
    if (locked === undefined) {
      byPath.set(target.path, { target, before: null, now: null });
      continue;
    }
    locks.use(locked);
    const source = new ByteSource(locked.file, { target, signal });
    const bytes = await source.readAll(MAX_CHANGED_BYTES, advice);
    byPath.set(target.path, { target, before: bytes, now: bytes, like: locked.info });
  }
  return new Map(targets.map((target) => [target.given, byPath.get(target.path)!]));
}

/** The changes: first what is written, so that a failure most likely comes before a removal. */
function changesOf(files: ReadonlyMap<string, PatchedFile>): FileChange[] {
  const changes = [...new Set(files.values())]
    .filter(({ before, now }) => !haveSameBytes(before, now))
    .map(({ target: { path, given }, before, now, like }): FileChange => ({
      ...{ path, given, before, after: now },
      ...(like && { like: { mode: like.mode, uid: like.uid, gid: like.gid } }),
    }));
  return changes.toSorted((a, b) => Number(a.after === null) - Number(b.after === null));
}
