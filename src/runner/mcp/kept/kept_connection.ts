import { abortable } from "@std/async/abortable";
import { readMessages } from "../client/message_lines.ts";
import { proofOf } from "./keep_order.ts";
import type { KeptDirectory, KeptRecord } from "./kept_directory.ts";
import type { RpcMessage } from "./message_router.ts";
import { SocketLines } from "./socket_lines.ts";

/** The time to read the rest after a failed write, in milliseconds. */
const READ_MS = 1_000;

/** A request to a keeper: to use the server, for its state, or to end it. */
export type KeeperRequest = "use" | "status" | "stop";

/** A connection to the process that keeps a server. */
export class KeptConnection {
  #lines: SocketLines;
  #first = Promise.withResolvers<RpcMessage>();
  #isClosed = false;
  /** Receives each message after the answer. */
  onMessage: (message: RpcMessage) => void = () => {};
  /** Called once when the connection has ended, with the keeper's reason if it gave one. */
  onClose: (reason: string) => void = () => {};
  #reason = ": the process that kept it has ended";
  /** The last line of the program that the keeper could not read, quoted; empty without one. */
  lastUnreadable = "";

  private constructor(socket: Deno.Conn) {
    // The keeper may have said why it ended: read that before the connection counts as closed.
    this.#lines = new SocketLines(socket, () => setTimeout(() => this.close(), READ_MS));
    this.#first.promise.catch(() => {});
    void this.#read(socket);
  }

  /**
   * Connects to the keeper of a record and sends it a request. `order` is the text of the order for
   * `use`. Both sides prove that they know the secret. Returns the connection and the keeper's
   * answer, or `undefined` if no keeper listens. Rejects if it does not answer in time.
   */
  static async open(
    { directory, record }: { directory: KeptDirectory; record: KeptRecord },
    { request, order, waitMs }: { request: KeeperRequest; order?: string; waitMs: number },
  ): Promise<{ connection: KeptConnection; answer: RpcMessage } | undefined> {
    const { secret } = record;
    let socket: Deno.Conn;
    try {
      socket = await directory.withAddress(
        record.socket,
        (path) => Deno.connect({ transport: "unix", path }),
      );
    } catch {
      return undefined;
    }
    const connection = new KeptConnection(socket);
    try {
      void connection.#lines.write({
        toolcall: request,
        proof: await proofOf(secret, request),
        ...(order !== undefined && { order: await proofOf(secret, order) }),
      });
      const answer = await abortable(connection.#first.promise, AbortSignal.timeout(waitMs));
      if (answer["proof"] !== await proofOf(secret, `keeper ${request}`)) {
        throw new Error("its keeper cannot be recognised");
      }
      return { connection, answer };
    } catch (error) {
      const isEnded = connection.#isClosed;
      connection.close();
      if (isEnded) return undefined;
      throw error;
    }
  }

  /** Sends a message. */
  async send(message: RpcMessage): Promise<void> {
    if (this.#isClosed) throw new Error("Not connected");
    await this.#lines.write(message);
  }

  /** Closes it. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#lines.close();
    this.#first.reject(new Error("Not connected"));
    this.onClose(this.#reason);
  }

  async #read(socket: Deno.Conn): Promise<void> {
    let isFirst = true;
    const take = (message: RpcMessage | undefined) => {
      if (message === undefined) return;
      if (isFirst) {
        isFirst = false;
        return this.#first.resolve(message);
      }
      // A message of the server is never taken for one of the keeper.
      if ("jsonrpc" in message) return this.onMessage(message);
      const { ended, unreadable } = message;
      if (typeof ended === "string") this.#reason = ended;
      if (typeof unreadable === "string") this.lastUnreadable = unreadable;
    };
    try {
      await readMessages(socket.readable, { take, isClosed: () => this.#isClosed });
    } catch { /* The keeper has gone. */ }
    this.close();
  }
}
