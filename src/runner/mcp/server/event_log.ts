import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

/** The most messages, and characters of them, that are kept for a client that reconnects. */
const [MAX_EVENTS, MAX_CHARACTERS] = [1_000, 2 * 1024 * 1024];

/** The last messages of one session, for a client that lost its connection and reconnects. */
export class EventLog implements EventStore {
  #events: { id: string; stream: string; message: JSONRPCMessage; size: number }[] = [];
  #size = 0;
  #count = 0;

  /** Keeps a message and returns its id. */
  storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${stream}_${this.#count++}`;
    const size = JSON.stringify(message).length;
    this.#events.push({ id, stream, message, size });
    this.#size += size;
    while (this.#events.length > 1 && this.#isFull()) {
      this.#size -= this.#events.shift()!.size;
    }
    return Promise.resolve(id);
  }

  #isFull(): boolean {
    return this.#events.length > MAX_EVENTS || this.#size > MAX_CHARACTERS;
  }

  /** Resolves to the stream of a message, or `undefined` if it is no longer kept. */
  getStreamIdForEventId(id: string): Promise<string | undefined> {
    return Promise.resolve(this.#events.find((event) => event.id === id)?.stream);
  }

  /** Sends the later messages of the same stream. Throws if that message is no longer kept. */
  async replayEventsAfter(
    last: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const at = this.#events.findIndex(({ id }) => id === last);
    if (at < 0) throw new Error("The events after that one are no longer stored");
    const { stream } = this.#events[at]!;
    for (const event of this.#events.slice(at + 1)) {
      if (event.stream === stream && "jsonrpc" in event.message) {
        await send(event.id, event.message);
      }
    }
    return stream;
  }
}
