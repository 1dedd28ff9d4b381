import type { ToolGroup } from "./define.ts";
import type { RegistryEntry } from "./registered_tool.ts";

/** A named set of tools. */
export interface Bundle {
  /** Its name. */
  name: string;
  /** The purpose. */
  description: string;
  /** The names of the tools that it requires. */
  required: readonly string[];
  /** The names of the optional tools. `*` is a wildcard. */
  optional: readonly string[];
  /** The group that the bundle adds to the catalogue, besides its tools. It then leaves out no tool. */
  adds?: ToolGroup;
}

/** The built-in bundles of the built-in tools. */
export function builtInBundles(tools: readonly RegistryEntry[]): Bundle[] {
  return [
    {
      name: "code_agent",
      description: "Standard tools for agents that work on code",
      required: ["file", "code_edit", "search", "navigate", "git"],
      optional: ["bash", "test", "web_search"],
    },
    {
      name: "blog_agent",
      description: "Tools to write and publish a blog",
      required: [],
      optional: ["rss_feed", "calendar", "static_links", "blog_notion", "web_search"],
    },
    {
      name: "read_only",
      description: "Built-in tools that change nothing and use no network",
      required: [],
      // Only built-in tools: a server's statements about its tools are not trusted.
      optional: tools.filter(({ sideEffect }) =>
        sideEffect === "none" || sideEffect === "read_only"
      ).map(({ name }) => name),
    },
    { name: "all", description: "All tools", required: [], optional: ["*"] },
    {
      name: "compat",
      description: "All tools, and tools with the names that models know from other programs",
      ...{ required: [], optional: ["str_replace_editor"], adds: "compat" },
    },
  ];
}
