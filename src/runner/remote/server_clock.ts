/**
 * Tells how long a message has been on the server. The clocks of two machines differ, so the time stamp
 * of a message is compared only with another time stamp of the server.
 */

import type { MsgHdrs } from "@nats-io/nats-core";
import type { Ledger } from "./ledger.ts";
import { HEADERS, resultSubject } from "./subjects.ts";

/** The time for which one look at the server's clock is used, in milliseconds. */
const MAX_KNOWN_MS = 60_000;

/** A time of the server, and the time of this process that is not later, in milliseconds. */
interface Look {
  server: number;
  own: number;
}

/** Returns the age of a message in milliseconds, or 0 if it has no deadline to compare the age with. */
export async function ageOf(
  clock: ServerClock,
  { headers, time }: { headers?: MsgHdrs | undefined; time: Date },
): Promise<number> {
  return headers?.get(HEADERS.deadline) ? await clock.ageOf(time) : 0;
}

/** The clock of the server. */
export class ServerClock {
  #look: Promise<Look> | undefined;
  #sequence = 0;
  readonly #nonce = crypto.randomUUID();

  /** Takes the ledger, in which each worker has a record whose time stamp is the server's time. */
  constructor(readonly ledger: Pick<Ledger, "write" | "message" | "writer">) {}

  /** Returns the milliseconds since the server stored a message. `time` is the message's time stamp. */
  async ageOf(time: Date): Promise<number> {
    let look = await (this.#look ??= this.#read());
    if (performance.now() - look.own > MAX_KNOWN_MS) look = await (this.#look = this.#read());
    return look.server + performance.now() - look.own - time.getTime();
  }

  async #read(): Promise<Look> {
    const subject = resultSubject("~clock", this.ledger.writer);
    const own = performance.now();
    const record = { state: "done", expected: this.#sequence, nonce: this.#nonce } as const;
    this.#sequence = await this.ledger.write(subject, record) ?? 0;
    const written = await this.ledger.message(subject);
    return { server: written?.time.getTime() ?? Date.now(), own };
  }
}
