import type { ListToolsResult } from "@modelcontextprotocol/server";
import { delay } from "@std/async/delay";
import { toMcp } from "../../schema/definitions/mcp.ts";
import { couldRun } from "../../registry/registered_tool.ts";
import { cursorTo, decodeCursor } from "./cursor.ts";
import type { ServerContext } from "./tools_call.ts";

/** The number of tools on one page. */
const PAGE_SIZE = 50;

/** The longest wait for the tools of other servers, in milliseconds. */
const LIST_MS = 5_000;

/**
 * Answers a `tools/list` with one page of the tools. Throws -32602 for an invalid cursor, and -32603
 * if tools have the same name by `upstreamNames`.
 */
export async function listTools(
  cursor: string | undefined,
  { options: { registry, structured, grants }, listsAll, toolsListed, upstreamNames }:
    ServerContext,
): Promise<ListToolsResult> {
  // The tools of a slower server are announced by a notification later.
  await Promise.race([toolsListed, delay(LIST_MS)]);
  // A tool that no call could use only fills the context of a model.
  const tools = (await registry.list()).filter((tool) => listsAll || couldRun(tool, grants));
  upstreamNames?.refuseCollisions();
  const apiNames = registry.namesForApis();
  const shownName = (name: string) => upstreamNames?.shownName(name) ?? apiNames.get(name)!;
  const outputs = structured
    ? (await import("../../registry/published_outputs.ts")).publishedOutputs
    : {};
  const start = startOf(cursor, tools);
  const next = tools[start + PAGE_SIZE];
  const page = tools.slice(start, start + PAGE_SIZE);
  return {
    tools: page.map((tool) => toMcp(tool, shownName(tool.name), outputs)) as never,
    // The name of the first tool, so that tools that are registered later do not shift pages.
    ...(next && { nextCursor: cursorTo(next.name) }),
  };
}

/** Returns the index where the page of a cursor starts. Throws -32602 for an invalid cursor. */
function startOf(cursor: string | undefined, tools: readonly { name: string }[]): number {
  if (cursor === undefined) return 0;
  const name = decodeCursor(cursor);
  const at = tools.findIndex((tool) => tool.name >= name);
  return at < 0 ? tools.length : at;
}
