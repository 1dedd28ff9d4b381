import type { ContentBlock } from "./content.ts";

/**
 * The content of a result for a reader who gets no structured data. A result that has only such data
 * is shown as its JSON, indented by `indent` spaces for a person.
 */
export function shownContent(
  { content, structuredContent }: {
    content: ContentBlock[];
    structuredContent?: Record<string, unknown>;
  },
  indent?: number,
): ContentBlock[] {
  const isEmpty = content.every((block) => block.type === "text" && block.text === "");
  if (!isEmpty || structuredContent === undefined) return content;
  return [{ type: "text", text: JSON.stringify(structuredContent, null, indent) }];
}
