import type { ContentBlock } from "./content.ts";

/** The types of images that models' APIs take. */
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** The image of a block, also of an embedded resource, when it is of a type that models take. */
export function imageOf(block: ContentBlock): { data: string; mimeType: string } | undefined {
  const { data, mimeType = "" } = block.type === "resource" && "blob" in block.resource
    ? { data: block.resource.blob, mimeType: block.resource.mimeType }
    : block.type === "image"
    ? block
    : { data: undefined };
  return data !== undefined && IMAGE_TYPES.includes(mimeType) ? { data, mimeType } : undefined;
}
