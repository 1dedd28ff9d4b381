import type { ContentBlock } from "../../../base/content.ts";
import type { ToolContext } from "../../../runner/registry/tool_context.ts";
import { byteSize } from "../../../base/text/amounts.ts";
import { cannot } from "../../../base/fs/system_error.ts";
import { callFile } from "../call_file.ts";
import { ByteSource, type OpenFile, openSource } from "./byte_source.ts";
import { fileKind, type ImageKind } from "./file_kind.ts";
import { IMAGE_LIMIT, imageBlocks } from "./image_block.ts";
import { lineWindow } from "./line_window.ts";
import { shownWide, type WideEncoding, wideEncoding } from "./wide_text.ts";

/** The largest text in UTF-16 that is shown, in bytes. */
const WIDE_LIMIT = 64 * 1024 * 1024;

/** A request to show a part of a file, whose path is as the caller wrote it. */
interface ReadOptions {
  given: string;
  /** The first line of a text, or cell of a notebook, from 1. */
  offset: number;
  /** The largest number of lines or cells. */
  limit: number;
  /** True to allow 256 KiB of text instead of 50 KiB. */
  isLarge?: boolean;
  /** Pages of a PDF document, such as `3` or `1-5`. */
  pages?: string | undefined;
}

/**
 * Shows a file of any size and kind: the numbered lines of a text, an image, the cells of a
 * notebook, the text of the pages of a PDF document. Throws a readable error for other kinds, and
 * for a missing file one that names similar files.
 */
export async function readAnyFile(
  ctx: ToolContext,
  { given, offset, limit, isLarge = false, pages }: ReadOptions,
): Promise<string | ContentBlock[]> {
  const target = callFile(ctx, { given, action: "read" });
  using source = await openSource(target, ctx.signal);
  const head = await source.peek() ?? new Uint8Array();
  const kind = fileKind(head);
  if (kind.is === "image") return await image(source, kind);
  if (kind.is === "pdf") {
    const { pdfWindow } = await import("../pdf/pdf_window.ts");
    return await pdfWindow(source, pages);
  }
  const wide = wideEncoding(head);
  if (wide !== undefined) return await wideWindow(source, { offset, limit, wide });
  if (kind.is === "binary") {
    const only = "Read shows text in UTF-8 or UTF-16, PNG, JPEG, GIF and WebP images, " +
      "notebooks and PDF documents";
    throw new Error(`${cannot(target)}: it is ${kind.name}, ${byteSize(source.size)}; ${only}`, {
      cause: { kind: kind.name },
    });
  }
  if (!/\.ipynb$/i.test(target.path)) return await lineWindow(source, { offset, limit, isLarge });
  const { notebookBlocks } = await import("../notebook/notebook_blocks.ts");
  const blocks = await notebookBlocks(source, { offset, limit });
  if (typeof blocks !== "string") return blocks;
  using again = await openSource(target, ctx.signal);
  return `${await lineWindow(again, { offset, limit })}\n[${blocks}]`;
}

/** A text in UTF-16, as its lines in UTF-8. */
async function wideWindow(
  source: ByteSource,
  { offset, limit, wide }: { offset: number; limit: number; wide: WideEncoding },
): Promise<string> {
  const advice = "a text in UTF-16 of more than 64 MiB is not shown; " +
    `convert it with iconv -f ${wide} -t UTF-8 first`;
  const { text, isValid, note } = shownWide(await source.readAll(WIDE_LIMIT, advice), wide);
  const lines = new TextEncoder().encode(text);
  let at = 0;
  const file: OpenFile = {
    status: () => ({ size: lines.length }),
    readSync(buffer) {
      const part = lines.subarray(at, at + buffer.length);
      buffer.set(part);
      at += part.length;
      return part.length || null;
    },
    close: () => {},
  };
  using utf8 = new ByteSource(file, source);
  const shown = await lineWindow(utf8, { offset, limit });
  return `${shown}\n[${note}${isValid ? "; Edit keeps its encoding" : ""}]`;
}

async function image(source: ByteSource, kind: ImageKind): Promise<ContentBlock[]> {
  const limit = byteSize(IMAGE_LIMIT);
  const advice = `an image of more than ${limit} is not shown; make it smaller first`;
  const bytes = await source.readAll(IMAGE_LIMIT, advice);
  // A thread that takes too long for an image is ended, and would leave the file open.
  source[Symbol.dispose]();
  const blocks = await imageBlocks(bytes, kind, source.signal);
  if (typeof blocks !== "string") return blocks;
  throw new Error(`${cannot(source.target)}: it is a ${kind.name} image, but ${blocks}`, {
    cause: { kind: kind.name },
  });
}
