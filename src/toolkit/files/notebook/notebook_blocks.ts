import type { ContentBlock } from "../../../base/content.ts";
import { byteSize, plural, thousands } from "../../../base/text/amounts.ts";
import { cannot } from "../../../base/fs/system_error.ts";
import { truncate } from "../../../base/text/truncate.ts";
import type { ByteSource } from "../read/byte_source.ts";
import { imageKind } from "../read/file_kind.ts";
import { imageBlocks } from "../read/image_block.ts";
import { type NotebookCell, notebookCells } from "./notebook_cells.ts";
import { fieldsOf, joinedText, NOTEBOOK_LIMIT } from "./notebook_document.ts";

const TEXT_BYTES = 49 * 1024;
const IMAGE_CHARACTERS = 14 * 1024 * 1024;
const SOURCE_CHARACTERS = 20_000;
const OUTPUT_CHARACTERS = 8000;

/**
 * A notebook's cells `offset` to `offset + limit - 1` with their outputs, in at most 50 KiB of text
 * and 10 MiB of images. A note says how to continue when there is more. Returns the reason, a
 * string, when the file cannot be shown as a notebook. Throws when it has fewer than `offset`
 * cells.
 */
export async function notebookBlocks(
  source: ByteSource,
  { offset, limit }: { offset: number; limit: number },
): Promise<ContentBlock[] | string> {
  if (source.size > NOTEBOOK_LIMIT) {
    return `a notebook of over ${byteSize(NOTEBOOK_LIMIT)} is shown as text`;
  }
  const cells = parseCells(await source.readAll(NOTEBOOK_LIMIT, ""));
  if (typeof cells === "string") return cells;
  if (cells.length === 0 && offset === 1) return [textBlock("[The notebook has no cells]")];
  if (offset > cells.length) {
    const reason = `the notebook has ${plural(cells.length, "cell")}`;
    throw new Error(`${cannot(source.target)} from cell ${offset}: ${reason}`, {
      cause: { cells: cells.length },
    });
  }
  return joined(await window(cells, { offset, limit, signal: source.signal }));
}

function parseCells(bytes: Uint8Array<ArrayBuffer>): NotebookCell[] | string {
  try {
    const cells = notebookCells(JSON.parse(new TextDecoder().decode(bytes)));
    return cells ?? "it is not a notebook of format 2, 3 or 4, so it is shown as text";
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `it is not valid JSON (${why}), so it is shown as text`;
  }
}

async function window(
  cells: readonly NotebookCell[],
  { offset, limit, signal }: { offset: number; limit: number; signal: AbortSignal },
): Promise<ContentBlock[]> {
  const shown: ContentBlock[] = [];
  const left = { text: TEXT_BYTES, image: IMAGE_CHARACTERS };
  let last = offset - 1;
  while (last < Math.min(cells.length, offset + limit - 1)) {
    const blocks = await cellBlocks(cells[last]!, last + 1, signal);
    const fits = spend(blocks, left);
    if (fits < blocks.length && last >= offset) break;
    shown.push(...blocks.slice(0, fits));
    last++;
    if (fits === blocks.length) continue;
    const lost = plural(blocks.length - fits, "more part");
    shown.push(textBlock(
      `[${lost} of this cell omitted: a call returns at most 50 KiB of text and 10 MiB of ` +
        `images; the complete cell is in ${cells[last - 1]!.place} of the file's JSON]`,
    ));
    break;
  }
  if (last < cells.length) {
    shown.push(textBlock(
      `[Shown up to cell ${thousands(last)} of ${
        plural(cells.length, "cell")
      }. To continue: offset ${last + 1}]`,
    ));
  }
  return shown;
}

/** Subtracts the size of the blocks from `left`; returns how many of them fit. */
function spend(blocks: readonly ContentBlock[], left: { text: number; image: number }): number {
  const encoder = new TextEncoder();
  for (const [fits, block] of blocks.entries()) {
    if (block.type === "image") left.image -= block.data.length;
    else if (block.type === "text") left.text -= encoder.encode(block.text).length + 2;
    if (left.text < 0 || left.image < 0) return fits;
  }
  return blocks.length;
}

/** Joins neighbouring texts to one block, with an empty line between them. */
function joined(blocks: readonly ContentBlock[]): ContentBlock[] {
  const result: ContentBlock[] = [];
  for (const block of blocks) {
    const previous = result.at(-1);
    if (block.type === "text" && previous?.type === "text") {
      result[result.length - 1] = textBlock(`${previous.text}\n\n${block.text}`);
    } else result.push(block);
  }
  return result;
}

/** Cuts a text of a cell, and says where the whole is. */
type Cut = (whole: unknown, limit?: number) => string;

/** A cell as blocks: a heading, its source, then its outputs in order. */
async function cellBlocks(
  { content, place }: NotebookCell,
  number: number,
  signal: AbortSignal,
): Promise<ContentBlock[]> {
  const { cell_type, id, execution_count: count, source, outputs } = fieldsOf(content);
  const cut: Cut = (whole, limit = OUTPUT_CHARACTERS) => {
    const trimmed = joinedText(whole).replace(/\n$/, "");
    if (trimmed.length <= limit) return trimmed;
    const kept = truncate(trimmed, limit);
    return `${kept} [... ${plural(trimmed.length - kept.length, "character")} cut; the complete ` +
      `text is in ${place} of the file's JSON]`;
  };
  const name = joinedText(id);
  const heading = `Cell ${number} (${joinedText(cell_type) || "unknown"}` +
    (name ? `, id ${JSON.stringify(name)}` : "") +
    (typeof count === "number" ? `, executed as [${count}]` : "") + ")";
  const blocks = [textBlock(`${heading}\n${cut(source, SOURCE_CHARACTERS)}`)];
  for (const output of Array.isArray(outputs) ? outputs : []) {
    blocks.push(...await outputBlocks(fieldsOf(output), cut, signal));
  }
  return blocks;
}

async function outputBlocks(
  output: Readonly<Record<string, unknown>>,
  cut: Cut,
  signal: AbortSignal,
): Promise<ContentBlock[]> {
  const { output_type: type, name, text, data } = output;
  if (type === "stream") return [textBlock(`Output (${joinedText(name)}):\n${cut(text)}`)];
  if (type === "error") return [textBlock(`Error:\n${cut(errorText(output))}`)];
  return await dataBlocks(fieldsOf(data), cut, signal);
}

const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const TEXTS = ["text/plain", "text/markdown", "text/latex", "application/json", "text/html"];

/** Shows one of several forms of a result: its image, or else its plainest text. */
async function dataBlocks(
  data: Readonly<Record<string, unknown>>,
  cut: Cut,
  signal: AbortSignal,
): Promise<ContentBlock[]> {
  const isThere = (type: string) => Object.hasOwn(data, type);
  const image = IMAGES.find(isThere);
  if (image) return await pictureBlocks(joinedText(data[image]), image, signal);
  const type = TEXTS.find(isThere);
  const types = Object.keys(data).join(", ") || "no data";
  if (type === undefined) return [textBlock(`Result: [not shown: ${types}]`)];
  const value = data[type];
  const isText = typeof value === "string" || Array.isArray(value);
  return [textBlock(`Result:\n${cut(isText ? value : JSON.stringify(value))}`)];
}

async function pictureBlocks(
  base64: string,
  declared: string,
  signal: AbortSignal,
): Promise<ContentBlock[]> {
  let bytes = new Uint8Array();
  try {
    bytes = Uint8Array.fromBase64(base64);
  } catch {
    // The empty bytes are reported below, because they are not an image.
  }
  const kind = imageKind(bytes);
  if (!kind) return [textBlock(`Result: [not shown: its ${declared} is no such image]`)];
  const blocks = await imageBlocks(bytes, kind, signal);
  if (typeof blocks !== "string") return blocks;
  return [textBlock(`Result: [its ${kind.name} image is not shown: ${blocks}]`)];
}

function errorText({ traceback, ename, evalue }: Readonly<Record<string, unknown>>): string {
  const trace = Array.isArray(traceback) ? traceback.map(joinedText).join("\n") : "";
  // deno-lint-ignore no-control-regex
  const plain = trace.replace(/\x1b\[[0-9;]*[A-Za-z]/g, "");
  const summary = `${joinedText(ename)}: ${joinedText(evalue)}`;
  return plain.includes(summary) ? plain : `${summary}\n${plain}`.trimEnd();
}

function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}
