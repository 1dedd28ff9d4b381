// Written from tools/*.ts by "deno task generate". Do not edit.

import type { RegistryEntry } from "../../src/registry/registry.ts";

export const entries: readonly RegistryEntry[] = [
  { name: "Agent", aliases: ["Task"], load: () => import("./agent.ts") },
  { name: "AskUserQuestion", aliases: [], load: () => import("./ask_user_question.ts") },
  { name: "Bash", aliases: [], load: () => import("./bash.ts") },
  { name: "calendar", aliases: [], load: () => import("./calendar.ts") },
  { name: "code_edit", aliases: [], load: () => import("./code_edit.ts") },
  { name: "Config", aliases: [], load: () => import("./config.ts") },
  { name: "Edit", aliases: ["FileEdit"], load: () => import("./edit.ts") },
  { name: "ExitPlanMode", aliases: [], load: () => import("./exit_plan_mode.ts") },
  { name: "file", aliases: [], load: () => import("./file.ts") },
  { name: "fs.list", aliases: ["fs_list"], load: () => import("./fs_list.ts") },
  { name: "fs.read", aliases: ["fs_read"], load: () => import("./fs_read.ts") },
  { name: "fs.write", aliases: ["fs_write"], load: () => import("./fs_write.ts") },
  { name: "git", aliases: [], load: () => import("./git.ts") },
  { name: "Glob", aliases: [], load: () => import("./glob.ts") },
  { name: "Grep", aliases: [], load: () => import("./grep.ts") },
  { name: "ListMcpResources", aliases: [], load: () => import("./list_mcp_resources.ts") },
  { name: "NotebookEdit", aliases: [], load: () => import("./notebook_edit.ts") },
  { name: "Read", aliases: ["FileRead"], load: () => import("./read.ts") },
  { name: "ReadMcpResource", aliases: [], load: () => import("./read_mcp_resource.ts") },
  { name: "rss_feed", aliases: [], load: () => import("./rss_feed.ts") },
  { name: "search", aliases: [], load: () => import("./search.ts") },
  { name: "static_links", aliases: [], load: () => import("./static_links.ts") },
  { name: "TaskOutput", aliases: [], load: () => import("./task_output.ts") },
  { name: "TaskStop", aliases: ["KillShell"], load: () => import("./task_stop.ts") },
  { name: "TodoWrite", aliases: [], load: () => import("./todo_write.ts") },
  { name: "WebFetch", aliases: [], load: () => import("./web_fetch.ts") },
  { name: "WebSearch", aliases: [], load: () => import("./web_search.ts") },
  { name: "Write", aliases: ["FileWrite"], load: () => import("./write.ts") },
];
