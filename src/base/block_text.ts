import type { ContentBlock } from "./content.ts";

/**
 * Returns a block as text. A block without text, such as an image, becomes a note in brackets with
 * its type and size, and `why` the block itself is not shown.
 */
export function blockText(block: ContentBlock, why?: string): string {
  const listed = (...facts: (string | undefined)[]) =>
    facts.filter((fact) => fact !== undefined).join(", ");
  const named = (...facts: (string | undefined)[]) =>
    `[${listed(...facts)}${why === undefined ? "" : `; ${why}`}]`;
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return named(`${block.type} ${block.mimeType}`, sizeOf(block.data));
    case "resource_link": {
      const { uri, name, title, description, mimeType, size } = block;
      const bytes = size === undefined ? undefined : `${size} bytes`;
      const facts = listed(`resource ${uri}`, title ?? name, mimeType, bytes);
      return `[${facts}]${description === undefined ? "" : ` ${description}`}`;
    }
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return `[resource ${resource.uri}]\n${resource.text}`;
      return named(`resource ${resource.uri}`, resource.mimeType, sizeOf(resource.blob));
    }
    default:
      // A server may be of a later version of the protocol.
      return named(`a block of type ${String((block as { type: unknown }).type)}`);
  }
}

/** Returns the size of the bytes in a base64 text. */
function sizeOf(data: string): string {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return `${Math.floor(data.length * 3 / 4) - padding} bytes`;
}
