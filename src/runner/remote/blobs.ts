/** Arguments and results that are too large for a message, in the object store of NATS. */

import type { ObjectStore } from "@nats-io/obj";
import type { NatsConnection } from "@nats-io/nats-core";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { reasonOf } from "./connection.ts";
import { throughElection } from "./elections.ts";
import { BLOBS } from "./subjects.ts";

/** The most bytes of a payload that goes as a message. */
const MAX_MESSAGE_BYTES = 512 * 1024;

/** The most bytes of arguments or of a result. */
const MAX_BLOB_BYTES = 64 * 1024 * 1024;

/** The object store, which is opened when it is first needed. */
export class Blobs {
  #store: Promise<ObjectStore> | undefined;

  /** Takes the connection. */
  constructor(readonly connection: NatsConnection) {}

  /** The number of bytes from which a payload goes into the store. */
  get threshold(): number {
    const most = this.connection.info?.max_payload ?? MAX_MESSAGE_BYTES;
    // The headers of a message count too.
    return Math.min(MAX_MESSAGE_BYTES, most - 8 * 1024);
  }

  /** Stores bytes, and returns their name. Rejects with `unavailable`. */
  async put(name: string, bytes: Uint8Array): Promise<string> {
    if (bytes.length > MAX_BLOB_BYTES) {
      const how = "write them to a file that both sides can read, and send its path";
      const message = `Cannot send ${bytes.length} bytes: the most are 64 MiB; ${how}`;
      throw new CallError("unavailable", message);
    }
    try {
      await throughElection(this.connection, {
        run: async () => await (await this.#open()).putBlob({ name }, bytes),
      });
      return name;
    } catch (error) {
      throw this.#failure(`store ${bytes.length} bytes as ${quote(name)}`, error);
    }
  }

  /** Returns the bytes of a name. Rejects with `unavailable`. */
  async get(name: string): Promise<Uint8Array> {
    let bytes: Uint8Array | null;
    try {
      bytes = await throughElection(this.connection, {
        run: async () => await (await this.#open()).getBlob(name),
      });
    } catch (error) {
      throw this.#failure(`read ${quote(name)}`, error);
    }
    if (bytes !== null) return bytes;
    throw new CallError("unavailable", `The object ${quote(name)} is not in the store ${BLOBS}`);
  }

  /** Returns the bytes of a name, and removes them. */
  async take(name: string): Promise<Uint8Array> {
    const bytes = await this.get(name);
    this.delete(name);
    return bytes;
  }

  /** Removes the bytes of a name soon. If that fails, the store removes them after a day. */
  delete(name: string): void {
    this.#open().then((store) => store.delete(name)).catch(() => {});
  }

  async #open(): Promise<ObjectStore> {
    this.#store ??= openStore(this.connection);
    try {
      return await this.#store;
    } catch (error) {
      this.#store = undefined;
      throw error;
    }
  }

  #failure(what: string, error: unknown): CallError {
    if (error instanceof CallError) return error;
    const advice = 'make the store with "toolcall worker init"';
    return new CallError("unavailable", `Cannot ${what}: ${reasonOf(error)}; ${advice}`);
  }
}

async function openStore(connection: NatsConnection): Promise<ObjectStore> {
  // Its hash function loads some of Node's modules, which a short call does not need.
  const { Objm } = await import("@nats-io/obj");
  return await new Objm(connection).open(BLOBS);
}
