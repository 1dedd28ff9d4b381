import type { ServerCapabilities } from "@modelcontextprotocol/server";
import type { CallOptions } from "../../call/call.ts";
import { decide, type Grants } from "../../sandbox/policy/grants.ts";

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

/** Returns the capabilities that a server has to tell its clients. */
export function capabilitiesOf({ resources, prompts }: Offers): ServerCapabilities {
  return {
    tools: { listChanged: true },
    ...(resources && { resources: { subscribe: true } }),
    ...(prompts !== undefined && { prompts: { listChanged: true } }),
    completions: {},
    logging: {},
  };
}

/** The directories and files that the flags let calls read. `cwd` stands for a grant of everything. */
export function readPlaces(grants: Grants, cwd: string): readonly string[] {
  const { all, allow: { read = [] } } = grants;
  const places = all || read === true ? [cwd] : read;
  return places.filter((path) => decide({ name: "read", path }, grants).granted);
}
