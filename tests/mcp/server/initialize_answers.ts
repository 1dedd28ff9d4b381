/** The answers to the first request of a client. */
import { expect } from "@std/expect";
import { initialize, type Message, Peer } from "../../support/mcp/peer.ts";

/** The answers of a new server to an `initialize` request: without `_meta`, and by the library. */
export async function initializeAnswers(
  { path, flags }: { path: string; flags: string[] },
  { version, capabilities }: { version: string; capabilities: object },
): Promise<Message[]> {
  const answers = [];
  // The library answers a request that has `_meta`.
  for (const more of [{}, { _meta: {} }]) {
    await using peer = Peer.start(flags, { cwd: path });
    const { result, error } = await peer.request("initialize", {
      ...initialize.params,
      ...{ protocolVersion: version, capabilities, ...more },
    });
    answers.push({ result, error } as Message);
    // The request has only one answer, and the next request is answered too.
    expect((await peer.request("ping")).result).toEqual({});
    expect(peer.unasked).toEqual([]);
  }
  return answers;
}
