import type { McpResource } from "../../registry/services.ts";
import type { ResourceContents } from "../../../base/content.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { redactData, type Redactor } from "../../../base/text/redact.ts";

/** The resources, or templates of such, that the items of a server's list are; others are left out. */
export function resourcesOf(
  items: readonly unknown[],
  { server, isTemplate, mask }: { server: string; isTemplate: boolean; mask: Redactor },
): McpResource[] {
  return items.flatMap((item) => {
    if (typeof item !== "object" || item === null) return [];
    const { name, title, description, mimeType, ...rest } = item as Record<string, unknown>;
    const uri = rest[isTemplate ? "uriTemplate" : "uri"];
    if (typeof uri !== "string") return [];
    const shown = [title, name, uri].find((each) => typeof each === "string" && each !== "");
    const resource = {
      ...{ server, uri, isTemplate, name: escapeControls(String(shown)) },
      ...(typeof description === "string" && { description: escapeControls(description) }),
      ...(typeof mimeType === "string" && { mimeType: escapeControls(mimeType) }),
    };
    return [redactData(resource, mask)];
  });
}

/** The contents that a server's answer holds; what has neither text nor a blob is left out. */
export function contentsOf(items: readonly unknown[]): ResourceContents[] {
  return items.filter((item): item is ResourceContents => {
    if (typeof item !== "object" || item === null) return false;
    const { uri, text, blob } = item as Record<string, unknown>;
    return typeof uri === "string" && (typeof text === "string" || typeof blob === "string");
  });
}
