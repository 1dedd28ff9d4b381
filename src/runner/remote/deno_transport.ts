/**
 * Carries the protocol of NATS over a socket of Deno. The transport of NATS for Node takes a call of
 * the program as long as the rest of it, because it loads Node's modules.
 */

import type { ConnectionOptions, Server, Transport } from "@nats-io/nats-core/internal";
import { delay } from "@std/async/delay";
import { concat } from "@std/bytes/concat";
import { openSocket } from "./nats_socket.ts";
import type { NatsSocket } from "./tls_socket.ts";

/** The most frames that are sent as one. A frame has at most 32 KiB and a message. */
const MAX_FRAMES = 16;

/** The time to send what waits when the connection is closed, in milliseconds. */
const CLOSE_MS = 1_000;

/** The options of a connection, and what hears that a server does not accept this client. */
export interface TransportOptions extends ConnectionOptions {
  /**
   * Takes the reason why a server ended TLS before it answered. A server that asks for a certificate
   * checks it only after the client has begun to send.
   */
  onRefusal?(error: Error): void;
}

/** One connection to a server, from its start to its loss. NATS makes another one after that. */
export class DenoTransport implements Transport {
  /** The language of this client, for the server's list of connections. */
  readonly lang = "deno";
  /** The version of the runtime, for the same list. */
  readonly version = Deno.version.deno;
  /** The reason why the connection ended, if it was an error. */
  closeError?: Error;
  readonly #dialing = new AbortController();
  readonly #lost = Promise.withResolvers<void | Error>();
  #socket: NatsSocket | undefined;
  #waiting: Uint8Array[] = [];
  #writing: Promise<void> | undefined;
  #onRefusal: TransportOptions["onRefusal"];
  #isClosed = false;

  /** Whether the connection has ended. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Connects to a server. Rejects if the server cannot be used. */
  async connect(server: Server, options: TransportOptions): Promise<void> {
    this.#onRefusal = options.onRefusal;
    this.#socket = await openSocket(server, options, this.#dialing.signal);
    if (!this.#dialing.signal.aborted) return;
    this.#socket.close();
    throw new Error("the attempt to connect was given up");
  }

  /** The bytes that the server sends, until the connection is lost or closed. */
  async *[Symbol.asyncIterator](): AsyncIterableIterator<Uint8Array> {
    let failure: Error | undefined;
    let count = 0;
    try {
      for await (const chunk of this.#socket?.chunks ?? []) {
        if (this.#isClosed) return;
        count++;
        yield chunk;
      }
    } catch (error) {
      failure = error as Error;
    } finally {
      // The first line came before TLS.
      if (this.isEncrypted() && count <= 1 && !this.#isClosed) {
        const why = failure === undefined ? "" : `: ${failure.message}`;
        this.#onRefusal?.(new Error(`the server ended TLS at its start${why}`));
      }
      // NATS takes a loss in the turn of the last answer for the connection that it has just made.
      await new Promise((resolve) => setTimeout(resolve));
      this.#end(failure);
    }
  }

  /** Whether the connection uses TLS. */
  isEncrypted(): boolean {
    return this.#socket?.isEncrypted ?? false;
  }

  /** Sends bytes after those that wait. They wait as long as the server does not take them. */
  send(frame: Uint8Array): void {
    if (this.#isClosed || this.#socket === undefined) return;
    this.#waiting.push(frame);
    this.#writing ??= this.#write(this.#socket);
  }

  /** Sends what waits, but not for longer than a second, and ends the connection. */
  async close(error?: Error): Promise<void> {
    this.#dialing.abort();
    if (this.#writing !== undefined && error === undefined) {
      const timer = new AbortController();
      const late = delay(CLOSE_MS, { signal: timer.signal }).catch(() => {});
      await Promise.race([this.#writing, late]);
      timer.abort();
    }
    this.#end(error);
  }

  /** Ends the connection at once. NATS then connects again. */
  disconnect(): void {
    this.#end();
  }

  /** Ends the connection at once. NATS has replaced it, and does not want to know. */
  discard(): void {
    this.#isClosed = true;
    this.#dialing.abort();
    this.#socket?.close();
  }

  /** Resolves when the connection has ended, with the reason if it is an error. */
  closed(): Promise<void | Error> {
    return this.#lost.promise;
  }

  async #write(socket: NatsSocket): Promise<void> {
    try {
      // Frames of the same turn are sent together.
      await undefined;
      while (this.#waiting.length > 0) {
        const [first, ...more] = this.#waiting.splice(0, MAX_FRAMES);
        await socket.write(more.length === 0 ? first! : concat([first!, ...more]));
      }
    } catch {
      // Reading fails too, and knows the reason.
      this.#waiting = [];
    } finally {
      this.#writing = undefined;
    }
  }

  #end(error?: Error): void {
    if (this.#isClosed || this.#socket === undefined) return;
    this.#isClosed = true;
    if (error !== undefined) this.closeError = error;
    this.#socket.close();
    this.#lost.resolve(error);
  }
}
