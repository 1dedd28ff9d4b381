import { CallError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { quote } from "../../../base/text/quote.ts";
import { redactData, type Redactor } from "../../../base/text/redact.ts";
import type { McpResource, McpResources } from "../../registry/mcp_service.ts";
import type { ItemList } from "./answers.ts";

/** The media type of a resource that is a directory. */
export const DIRECTORY_TYPE = "inode/directory";

/**
 * Whether a server can list one directory. The request belongs to the extension for skills
 * (SEP-2640), and a server says in its settings that it answers it.
 */
export function readsDirectories(capabilities: unknown): boolean {
  const { extensions } = isObject(capabilities) ? capabilities : {};
  const settings = isObject(extensions) ? extensions["io.modelcontextprotocol/skills"] : undefined;
  return isObject(settings) && settings["directoryRead"] === true;
}

/** The lists of one server as resources, with a note on each list that was cut. */
export function resourcesIn(
  { resources = [], templates = [] }: { resources?: ItemList[]; templates?: ItemList[] },
  { server, redact }: { server: string; redact: Redactor },
): McpResources {
  const parsed = (lists: ItemList[], isTemplate: boolean) =>
    lists.flatMap(({ items }) => parseResources(items, { server, isTemplate, redact }));
  return {
    resources: [...parsed(resources, false), ...parsed(templates, true)],
    notes: [...resources, ...templates].flatMap(({ cut }) =>
      cut === undefined ? [] : `MCP server ${quote(server)}: ${cut}`
    ),
  };
}

/**
 * The resources and directories directly inside a directory, as the addresses of all resources of a
 * server show them. It is for servers that cannot list one directory. Throws `tool_failed` if no
 * resource is inside it.
 */
export function childrenOf(directory: string, resources: readonly McpResource[]): McpResource[] {
  const start = directory.endsWith("/") ? directory : `${directory}/`;
  const children = new Map<string, McpResource>();
  for (const resource of resources) {
    const { server, uri, isTemplate } = resource;
    if (isTemplate || !uri.startsWith(start)) continue;
    const [name, ...more] = uri.slice(start.length).split("/");
    if (name === undefined || name === "") continue;
    const child = `${start}${name}`;
    const isDirectory = more.join("") !== "";
    // A directory may be a resource itself, and then it has a name and a description.
    if (!isDirectory) children.set(child, resource);
    else if (!children.has(child)) {
      children.set(child, { server, uri: child, isTemplate, name, mimeType: DIRECTORY_TYPE });
    }
  }
  if (children.size > 0) return [...children.values()];
  throw new CallError(
    "tool_failed",
    `Cannot list the directory ${quote(directory)}: the server has no resource in it; ` +
      "ListMcpResources lists all its resources",
  );
}

/** Parses the items of a list of resources or templates. Invalid items are left out. */
function parseResources(
  items: readonly unknown[],
  { server, isTemplate, redact }: { server: string; isTemplate: boolean; redact: Redactor },
): McpResource[] {
  return items.flatMap((item) => {
    if (!isObject(item)) return [];
    const { name, title, description, mimeType, ...rest } = item;
    const uri = rest[isTemplate ? "uriTemplate" : "uri"];
    if (typeof uri !== "string") return [];
    const shown = [title, name, uri].find((each) => typeof each === "string" && each !== "");
    const resource = {
      ...{ server, uri, isTemplate, name: escapeControls(String(shown)) },
      ...(typeof description === "string" && { description: escapeControls(description) }),
      ...(typeof mimeType === "string" && { mimeType: escapeControls(mimeType) }),
    };
    return [redactData(resource, redact)];
  });
}
