/** The tools that a server over stdio lists. */
import { Peer } from "../../support/mcp/peer.ts";

/** The fields of a tool in `tools/list` that these tests read. */
export interface Listed {
  name: string;
  title: string;
  description: string;
  annotations: { title: string } & Record<string, boolean>;
  _meta: Record<string, unknown>;
}

/** The tools of a server over stdio. */
export async function listed(flags = ["--all-tools"]): Promise<Listed[]> {
  await using peer = Peer.start(flags);
  await peer.initialize();
  return (await peer.request("tools/list")).result.tools;
}
