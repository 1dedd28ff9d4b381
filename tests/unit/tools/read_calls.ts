/** Calls of Read. */
import { checkedNeeds } from "../../support/checked_needs.ts";
import type { ContentBlock } from "../../../src/base/content.ts";
import { expect } from "@std/expect";
import read from "../../../tools/read.ts";
import { blocksOf, contextFor } from "../../support/tool_context.ts";

/** The optional arguments of a call. */
export type Input = { offset?: number; limit?: number };

/** Calls Read, and returns the blocks of its result. */
export async function call(file_path: string, input: Input = {}): Promise<ContentBlock[]> {
  const args = { file_path, offset: 1, limit: 2000, ...input };
  for (const need of checkedNeeds(read, args, "/", {})) expect(need.name).toBe("read");
  const result = await read.run(args, contextFor("/"));
  return blocksOf(result);
}

/** Calls Read, and returns the text of its result. */
export async function textOf(path: string, input: Input = {}): Promise<string> {
  const blocks = await call(path, input);
  return blocks.map((block) => block.type === "text" ? block.text : "").join("");
}

/** Calls Read, and returns the message of its failure. */
export async function failure(path: string, input: Input = {}): Promise<string> {
  try {
    await call(path, input);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error(`Reading "${path}" did not fail`);
}

/** The bytes of strings and of single values. */
export function bytes(...values: (string | number)[]): Uint8Array {
  const encoder = new TextEncoder();
  return Uint8Array.from(values.flatMap((v) => typeof v === "string" ? [...encoder.encode(v)] : v));
}
