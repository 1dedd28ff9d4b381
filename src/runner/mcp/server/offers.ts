import type { ServerCapabilities } from "@modelcontextprotocol/server";
import type { CallOptions } from "../../call/call.ts";
import { TASKS_EXTENSION } from "../tasks_extension.ts";
import { readPlaces } from "../../sandbox/policy/read_places.ts";

/** The offers of the server besides tools. They depend on the flags and the configuration. */
export interface Offers {
  /** Whether files can be read as resources. */
  resources: boolean;
  /** The directory with prompts, an absolute path. */
  prompts?: string;
}

/** Returns what a server offers with these options and this directory of prompts. */
export function offersOf(
  { program, grants }: Pick<CallOptions, "program" | "grants">,
  prompts: string | undefined,
): Offers {
  return {
    resources: program.resources !== undefined && readPlaces(grants, "/").length > 0,
    ...(prompts !== undefined && { prompts }),
  };
}

/**
 * Returns the capabilities that a server has to tell its clients. Only revision 2026-07-28 has
 * extensions.
 */
export function capabilitiesOf(
  { resources, prompts }: Offers,
  { hasExtensions = false }: { hasExtensions?: boolean } = {},
): ServerCapabilities {
  return {
    tools: { listChanged: true },
    ...(resources && { resources: { subscribe: true } }),
    ...(prompts !== undefined && { prompts: { listChanged: true } }),
    completions: {},
    logging: {},
    ...(hasExtensions && { extensions: { [TASKS_EXTENSION]: {} } }),
  };
}
