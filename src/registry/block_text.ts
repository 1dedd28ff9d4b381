import type { ContentBlock } from "./content.ts";

/** A block for what takes text alone: its text, else a line that says what there was. */
export function blockText(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource_link") {
    return `[resource ${block.uri}: ${block.title ?? block.name}]`;
  }
  if (block.type === "resource") {
    const { resource } = block;
    if ("text" in resource) return `[resource ${resource.uri}]\n${resource.text}`;
    return `[resource ${resource.uri}, ${described(resource.mimeType, resource.blob)}]`;
  }
  return `[${block.type}, ${described(block.mimeType, block.data)}]`;
}

function described(mimeType = "binary data", base64: string): string {
  return `${mimeType}, ${bytesOf(base64)} bytes, which cannot be shown here`;
}

/** How many bytes a text in base64 stands for. */
function bytesOf(base64: string): number {
  return Math.floor(base64.replace(/=+$/, "").length * 3 / 4);
}
