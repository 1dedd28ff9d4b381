import { type Block, MAX_ELEMENTS } from "./rich_text.ts";

/** How many blocks a request has at most, those in others among them. */
const MAX_BLOCKS = 1_000;

/** How large a request's blocks are at most, in bytes; the API takes 500 KB. */
const MAX_BYTES = 450_000;

/** How many blocks lie in one another below those that a request adds. */
const MAX_DEPTH = 2;

/** A block that a request adds, and the children that only later requests can add to it. */
export interface Addition {
  /** The block as the API takes it, with the children that go with it. */
  json: Record<string, unknown>;
  /** The others. */
  later: readonly Block[];
  /** How many blocks the request adds with it, itself among them. */
  count: number;
  /** How large it is as JSON, in bytes. */
  size: number;
}

/** Blocks as they are added: with all in them where a request can hold that, else bare. */
export function additionOf(block: Block): Addition {
  const whole = { json: jsonOf(block, block.children), later: [], count: countOf(block) };
  const size = sizeOf(whole.json);
  if (isWithin(block, MAX_DEPTH) && whole.count <= MAX_BLOCKS && size <= MAX_BYTES) {
    return { ...whole, size };
  }
  // A table is not taken without rows.
  const first = block.type === "table" ? block.children.slice(0, rowsWithin(block.children)) : [];
  const json = jsonOf(block, first);
  const later = block.children.slice(first.length);
  return { json, later, count: 1 + first.length, size: sizeOf(json) };
}

/** Additions in groups, each of which is one request. */
export function batchesOf(additions: readonly Addition[]): Addition[][] {
  const batches: Addition[][] = [];
  let [count, size] = [0, 0];
  for (const addition of additions) {
    const last = batches.at(-1);
    count += addition.count;
    size += addition.size + 1;
    if (
      last === undefined || last.length === MAX_ELEMENTS || count > MAX_BLOCKS ||
      size > MAX_BYTES
    ) {
      batches.push([addition]);
      [count, size] = [addition.count, addition.size];
    } else last.push(addition);
  }
  return batches;
}

/** How many blocks these are, with all in them. */
export function countAll(blocks: readonly Block[]): number {
  return blocks.reduce((sum, each) => sum + countOf(each), 0);
}

function countOf(block: Block): number {
  return 1 + countAll(block.children);
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
  return {
    object: "block",
    type,
    [type]: { ...body, ...(inner.length > 0 && { children: inner }) },
  };
}

function sizeOf(json: unknown): number {
  return new TextEncoder().encode(JSON.stringify(json)).length;
}
