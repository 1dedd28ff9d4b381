import type { ContentBlock } from "../../../base/content.ts";
import { plural } from "../../../base/text/amounts.ts";
import { imageKind } from "../read/file_kind.ts";
import { imageBlocks } from "../read/image_block.ts";
import { truncate } from "../../../base/text/truncate.ts";

/** The largest notebook that is shown or edited as one, in bytes. */
export const NOTEBOOK_LIMIT = 32 * 1024 * 1024;

const SOURCE_CHARACTERS = 20_000;
const OUTPUT_CHARACTERS = 8000;

/** The fields of an object; `undefined` for any other value. */
export function fieldsOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return new Map(Object.entries(value));
}

/**
 * A cell as blocks: a heading, its source, then its outputs in order. Rejects with the signal's
 * reason when it is aborted.
 */
export async function cellBlocks(
  cell: unknown,
  { number, signal }: { number: number; signal: AbortSignal },
): Promise<ContentBlock[]> {
  const fields = fieldsOf(cell) ?? new Map<string, unknown>();
  const type = joinedText(fields.get("cell_type")) || "unknown";
  const id = joinedText(fields.get("id"));
  const count = fields.get("execution_count");
  const heading = `Cell ${number} (${type}` +
    (id ? `, id ${JSON.stringify(id)}` : "") +
    (typeof count === "number" ? `, executed as [${count}]` : "") + ")";
  const source = cut(joinedText(fields.get("source")), { limit: SOURCE_CHARACTERS, number });
  const blocks = [text(`${heading}\n${source}`)];
  for (const output of list(fields.get("outputs"))) {
    blocks.push(...await outputBlocks(fieldsOf(output) ?? new Map(), { number, signal }));
  }
  return blocks;
}

async function outputBlocks(
  output: ReadonlyMap<string, unknown>,
  { number, signal }: { number: number; signal: AbortSignal },
): Promise<ContentBlock[]> {
  const limit = { limit: OUTPUT_CHARACTERS, number, signal };
  switch (output.get("output_type")) {
    case "stream":
      return [
        text(
          `Output (${joinedText(output.get("name"))}):\n${
            cut(joinedText(output.get("text")), limit)
          }`,
        ),
      ];
    case "error":
      return [text(`Error:\n${cut(errorText(output), limit)}`)];
    default:
      return await dataBlocks(fieldsOf(output.get("data")) ?? new Map(), limit);
  }
}

/** Shows one of several forms of a result: its image, or else its plainest text. */
async function dataBlocks(
  data: ReadonlyMap<string, unknown>,
  limit: { limit: number; number: number; signal: AbortSignal },
): Promise<ContentBlock[]> {
  const image = ["image/png", "image/jpeg", "image/gif", "image/webp"].find((type) =>
    data.has(type)
  );
  if (image) return await pictureBlocks(joinedText(data.get(image)), image, limit.signal);
  for (
    const type of ["text/plain", "text/markdown", "text/latex", "application/json", "text/html"]
  ) {
    if (!data.has(type)) continue;
    const value = data.get(type);
    const shown = typeof value === "string" || Array.isArray(value)
      ? joinedText(value)
      : JSON.stringify(value);
    return [text(`Result:\n${cut(shown, limit)}`)];
  }
  return [text(`Result: [not shown: ${[...data.keys()].join(", ") || "no data"}]`)];
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
  if (!kind) return [text(`Result: [not shown: its ${declared} is no such image]`)];
  const blocks = await imageBlocks(bytes, kind, signal);
  if (typeof blocks !== "string") return blocks;
  return [text(`Result: [its ${kind.name} image is not shown: ${blocks}]`)];
}

function errorText(output: ReadonlyMap<string, unknown>): string {
  const trace = list(output.get("traceback")).map(joinedText).join("\n");
  // deno-lint-ignore no-control-regex
  const plain = trace.replace(/\x1b\[[0-9;]*[A-Za-z]/g, "");
  const summary = `${joinedText(output.get("ename"))}: ${joinedText(output.get("evalue"))}`;
  return plain.includes(summary) ? plain : `${summary}\n${plain}`.trimEnd();
}

function cut(whole: string, { limit, number }: { limit: number; number: number }): string {
  const trimmed = whole.replace(/\n$/, "");
  if (trimmed.length <= limit) return trimmed;
  const kept = truncate(trimmed, limit);
  return `${kept} [... ${plural(trimmed.length - kept.length, "character")} cut; ` +
    `the whole is in .cells[${number - 1}] of the file's JSON]`;
}

/** A text of a notebook, which is one string or a list of lines. */
export function joinedText(value: unknown): string {
  if (typeof value === "string") return value;
  return Array.isArray(value)
    ? value.map((part) => typeof part === "string" ? part : "").join("")
    : "";
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(content: string): ContentBlock {
  return { type: "text", text: content };
}
