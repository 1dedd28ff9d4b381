/** The ledger after a server was lost, with a real server. */
// tier: machine
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, headers } from "@nats-io/transport-node";
import { expect } from "@std/expect";
import { Ledger } from "../../../../src/runner/remote/ledger.ts";
import { ServerWatch } from "../../../../src/runner/remote/server_watch.ts";
import { HEADERS, RESULTS_STREAM, resultSubject } from "../../../../src/runner/remote/subjects.ts";
import { initStreams, natsTest } from "../../../support/nats_server.ts";

natsTest(
  "ledger > a result follows the claim of its writer, whatever sequence the claim has",
  async ({ url }) => {
    await initStreams(url);
    const connection = await connect({ servers: url });
    try {
      const [client, manager] = [jetstream(connection), await jetstreamManager(connection)];
      const ledger = new Ledger(client, manager, "w", new ServerWatch(connection));
      const claim = async (id: string, nonce: string) => {
        const subject = resultSubject("u.b", id);
        return {
          subject,
          sequence: await ledger.write(subject, { state: "running", expected: 0, nonce }),
        };
      };
      /** The new leader of a cluster can have a record under another sequence than the lost one. */
      const storeAgain = async (subject: string, nonce: string) => {
        await manager.streams.purge(RESULTS_STREAM, { filter: subject });
        const own = headers();
        for (const [key, value] of [[HEADERS.state, "running"], [HEADERS.nonce, nonce]] as const) {
          own.set(key, value);
        }
        await client.publish(subject, "", { headers: own });
      };
      const end = (subject: string, sequence: number | undefined, nonce: string) =>
        ledger.write(subject, { state: "done", expected: sequence!, nonce });

      const own = await claim("one", "a");
      await storeAgain(own.subject, "a");
      expect(await end(own.subject, own.sequence, "a")).toBeGreaterThan(own.sequence!);
      expect((await ledger.read(own.subject))?.state).toBe("done");

      // The claim of another writer stays, and so does its result.
      const other = await claim("two", "a");
      await storeAgain(other.subject, "b");
      expect(await end(other.subject, other.sequence, "a")).toBeUndefined();
      expect((await ledger.read(other.subject))?.nonce).toBe("b");
      expect((await claim("two", "c")).sequence).toBeUndefined();
    } finally {
      await connection.close();
    }
  },
);
