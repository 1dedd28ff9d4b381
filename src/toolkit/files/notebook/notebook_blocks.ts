import type { ContentBlock } from "../../../base/content.ts";
import { byteSize, plural, thousands } from "../../../base/text/amounts.ts";
import { type ByteSource, readToEnd } from "../read/byte_source.ts";
import { cellBlocks, fieldsOf, NOTEBOOK_LIMIT } from "./notebook_cell.ts";
import { cannot, type FileTarget } from "../../../base/fs/system_error.ts";

const TEXT_BYTES = 49 * 1024;
const IMAGE_CHARACTERS = 14 * 1024 * 1024;

/**
 * A notebook's cells `offset` to `offset + limit - 1` with their outputs, in at most 50 KiB of text
 * and 10 MiB of images. A note says how to continue when there is more. Returns the reason, a
 * string, when the file cannot be shown as a notebook. Throws when it has fewer than `offset`
 * cells.
 */
export async function notebookBlocks(
  source: ByteSource,
  options: { target: FileTarget; offset: number; limit: number; signal: AbortSignal },
): Promise<ContentBlock[] | string> {
  const { target, offset, limit, signal } = options;
  if (source.size > NOTEBOOK_LIMIT) {
    return `a notebook of over ${byteSize(NOTEBOOK_LIMIT)} is shown as text`;
  }
  const cells = parseCells(await readToEnd(source, { limit: NOTEBOOK_LIMIT, target, advice: "" }));
  if (typeof cells === "string") return cells;
  if (cells.length === 0 && offset === 1) return [note("The notebook has no cells")];
  if (offset > cells.length) {
    throw new Error(
      `${cannot(target)} from cell ${offset}: the notebook has ${plural(cells.length, "cell")}`,
      { cause: { cells: cells.length } },
    );
  }
  return await window(cells, { offset, limit, signal });
}

function parseCells(bytes: Uint8Array<ArrayBuffer>): unknown[] | string {
  let notebook: ReadonlyMap<string, unknown> | undefined;
  try {
    notebook = fieldsOf(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `it is not valid JSON (${why}), so it is shown as text`;
  }
  const cells = notebook?.get("cells");
  if (notebook?.get("nbformat") === 4 && Array.isArray(cells)) return cells;
  return "it is not a notebook of format 4, so it is shown as text";
}

async function window(
  cells: readonly unknown[],
  { offset, limit, signal }: { offset: number; limit: number; signal: AbortSignal },
): Promise<ContentBlock[]> {
  const shown: ContentBlock[] = [];
  const left = { text: TEXT_BYTES, image: IMAGE_CHARACTERS };
  let last = offset - 1;
  while (last < Math.min(cells.length, offset + limit - 1)) {
    const blocks = await cellBlocks(cells[last], { number: last + 1, signal });
    const fits = spend(blocks, left);
    if (fits < blocks.length && last >= offset) break;
    shown.push(...blocks.slice(0, fits));
    last++;
    if (fits === blocks.length) continue;
    const lost = blocks.length - fits;
    shown.push(note(
      `${
        plural(lost, "more part")
      } of this cell left out: a call gives 50 KiB of text and 10 MiB ` +
        `of images; the whole is in .cells[${last - 1}] of the file's JSON`,
    ));
    break;
  }
  if (last < cells.length) {
    shown.push(note(
      `Shown up to cell ${thousands(last)} of ${plural(cells.length, "cell")}. ` +
        `To go on: offset ${last + 1}`,
    ));
  }
  return joined(shown);
}

/** Subtracts the size of the blocks from `left`; returns how many of them fit. */
function spend(blocks: readonly ContentBlock[], left: { text: number; image: number }): number {
  const encoder = new TextEncoder();
  let fits = 0;
  for (const block of blocks) {
    if (block.type === "image") left.image -= block.data.length;
    else if (block.type === "text") left.text -= encoder.encode(block.text).length + 2;
    if (left.text < 0 || left.image < 0) return fits;
    fits++;
  }
  return fits;
}

/** Joins neighbouring texts to one block, with an empty line between them. */
function joined(blocks: readonly ContentBlock[]): ContentBlock[] {
  const result: ContentBlock[] = [];
  for (const block of blocks) {
    const previous = result.at(-1);
    if (block.type === "text" && previous?.type === "text") {
      result[result.length - 1] = { type: "text", text: `${previous.text}\n\n${block.text}` };
    } else result.push(block);
  }
  return result;
}

function note(text: string): ContentBlock {
  return { type: "text", text: `[${text}]` };
}
