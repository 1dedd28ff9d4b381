import { type Block, MAX_ELEMENTS } from "./rich_text.ts";

/** The most blocks of a request, including nested ones. */
const MAX_BLOCKS = 1_000;

/** The largest size of a request's blocks, in bytes; the API accepts 500 KB. */
const MAX_BYTES = 450_000;

/** The deepest nesting below the blocks that a request adds. */
const MAX_DEPTH = 2;

/** A block that a request adds, and the children that later requests must add to it. */
export interface Addition {
  /** The block in the form of the API, with the children that are sent with it. */
  json: Record<string, unknown>;
  /** The other children. */
  later: readonly Block[];
  /** The number of blocks that the request adds with it, including itself. */
  count: number;
  /** Its size as JSON, in bytes. */
  size: number;
}

/** The addition of a block: with all its children if they fit into a request, else without. */
export function toAddition(block: Block): Addition {
  const whole = { json: jsonOf(block, block.children), later: [], count: countOf(block) };
  const size = sizeOf(whole.json);
  if (isWithin(block, MAX_DEPTH) && whole.count <= MAX_BLOCKS && size <= MAX_BYTES) {
    return { ...whole, size };
  }
  // The API refuses a table without rows.
  const first = block.type === "table" ? block.children.slice(0, rowsWithin(block.children)) : [];
  const json = jsonOf(block, first);
  const later = block.children.slice(first.length);
  return { json, later, count: 1 + first.length, size: sizeOf(json) };
}

/** Groups additions into requests. */
export function toBatches(additions: readonly Addition[]): Addition[][] {
  const batches: Addition[][] = [];
  let [count, size] = [0, 0];
  for (const addition of additions) {
    const last = batches.at(-1);
    count += addition.count;
    size += addition.size + 1;
    const isFull = last?.length === MAX_ELEMENTS || count > MAX_BLOCKS || size > MAX_BYTES;
    if (last === undefined || isFull) {
      batches.push([addition]);
      [count, size] = [addition.count, addition.size];
    } else last.push(addition);
  }
  return batches;
}

/** The number of blocks, including nested ones. */
export function countBlocks(blocks: readonly Block[]): number {
  return blocks.reduce((sum, each) => sum + countOf(each), 0);
}

function countOf(block: Block): number {
  return 1 + countBlocks(block.children);
}

function isWithin({ children }: Block, depth: number): boolean {
  if (children.length > MAX_ELEMENTS || children.length > 0 && depth === 0) return false;
  return children.every((each) => isWithin(each, depth - 1));
}

function rowsWithin(rows: readonly Block[]): number {
  let size = 0;
  const end = rows.findIndex((row, at) => {
    size += sizeOf(jsonOf(row, []));
    return at > 0 && (at === MAX_ELEMENTS || size > MAX_BYTES - 1_000);
  });
  return end < 0 ? rows.length : end;
}

function jsonOf({ type, body }: Block, children: readonly Block[]): Record<string, unknown> {
  const inner = children.map((each) => jsonOf(each, each.children));
  const own = { ...body, ...(inner.length > 0 && { children: inner }) };
  return { object: "block", type, [type]: own };
}

function sizeOf(json: unknown): number {
  return new TextEncoder().encode(JSON.stringify(json)).length;
}
