import { toFileUrl } from "@std/path/posix/to-file-url";
import type { ContentBlock } from "../../base/content.ts";
import { lookAt, modeKind } from "../../base/fs/path_status.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { compileGlob } from "../search/glob_pattern.ts";
import { walkGlob } from "../search/glob_walk.ts";
import { compareNames, entryPath } from "../search/paths.ts";
import { withIgnoreFiles } from "../search/ripgrep.ts";
import { pathOfAddress } from "./file_resource.ts";
import { mediaTypeOfName } from "./media_type.ts";

/** The files to list. */
interface ResourcePage {
  /** The directories, and files by themselves; absolute paths. */
  places: readonly string[];
  /** The address after which the page begins; the first page without it. */
  after?: string | undefined;
  /** The most files of the page. */
  limit: number;
}

/**
 * Lists the files below some directories by their paths, as links. Files that ignore files exclude
 * and those of version control are left out.
 */
export async function listFileResources(
  { places, after, limit }: ResourcePage,
  ctx: ToolContext,
): Promise<ContentBlock[]> {
  const found = new FirstPaths(after === undefined ? "" : pathOfAddress(after), limit);
  for (const place of places) {
    const status = lookAt(ctx.path(place));
    const kind = status && modeKind(status.mode);
    if (kind === "file") found.add(place);
    if (kind === "directory") await addFiles(place, found, ctx);
  }
  return found.list().map((path) => {
    const mimeType = mediaTypeOfName(path);
    return {
      type: "resource_link",
      uri: toFileUrl(path).href,
      name: path.slice(path.lastIndexOf("/") + 1),
      ...(mimeType !== undefined && { mimeType }),
    };
  });
}

async function addFiles(directory: string, found: FirstPaths, ctx: ToolContext): Promise<void> {
  const glob = compileGlob({ pattern: "**/*", path: directory }, ctx);
  const start = entryPath(glob.real, "").length;
  await withIgnoreFiles(async (usesIgnoreFiles) => {
    const results = {
      restart() {},
      file(real: string) {
        const path = entryPath(directory, real.slice(start));
        if (isReadable(path, ctx)) found.add(path);
      },
      ignored() {},
    };
    await walkGlob(glob, { ctx, results, usesIgnoreFiles });
  });
}

/** Whether a file can be read by its address: not by a name that is not UTF-8, or a stray symlink. */
function isReadable(path: string, ctx: ToolContext): boolean {
  const status = lookAt(path);
  if (status === undefined || path.includes("\uFFFD")) return false;
  if (modeKind(status.mode) !== "symlink") return modeKind(status.mode) === "file";
  try {
    return ctx.mayRead(Deno.realPathSync(path)) && Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Keeps the first of any number of paths; the memory depends only on the number kept. */
class FirstPaths {
  #paths = new Set<string>();

  constructor(readonly after: string, readonly limit: number) {}

  add(path: string): void {
    if (compareNames(path, this.after) <= 0) return;
    this.#paths.add(path);
    if (this.#paths.size >= this.limit * 4) this.#paths = new Set(this.list());
  }

  list(): string[] {
    return [...this.#paths].sort(compareNames).slice(0, this.limit);
  }
}
