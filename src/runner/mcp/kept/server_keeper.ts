import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { delay } from "@std/async/delay";
import { redactor } from "../../../base/text/redact.ts";
import { birthOf } from "../../sandbox/executors/process.ts";
import { readMessages } from "../client/message_lines.ts";
import { StdioTransport } from "../client/stdio_transport.ts";
import { type KeepOrder, orderText, proofOf, slotOf } from "./keep_order.ts";
import { KeptDirectory, type KeptRecord } from "./kept_directory.ts";
import { MessageRouter, type RouterClient, type RpcMessage } from "./message_router.ts";
import { SocketLines } from "./socket_lines.ts";

/** The time that others may hold the lock while this process ends, in milliseconds. */
const LOCK_MS = 5_000;
/** The time that a call has to read why its server ends, in milliseconds. */
const WRITE_MS = 1_000;
/** The time that a connection has for its request, in milliseconds. */
const REQUEST_MS = 10_000;

/** The reason of an end after the time for which an unused server is kept. */
const NOT_USED = ": it was not used";

/** A call that is connected. */
interface Call extends RouterClient {
  lines: SocketLines;
}

/**
 * Runs the program of a server, and shares it between the calls that connect to its socket. It ends
 * when the server was idle for its time, when the program ends, and by an order to stop.
 */
export class ServerKeeper {
  #calls = new Set<Call>();
  #idleSince = Date.now();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ending: Promise<void> | undefined;
  #reason: string | Promise<string> | undefined;
  #isRetired = false;
  #ended = Promise.withResolvers<void>();
  #router: MessageRouter;
  /** Gets the reason of the end once, while no other keeper can be started in place of this one. */
  onEnd: ((reason: string) => void) | undefined;

  private constructor(
    readonly order: KeepOrder,
    private readonly own: {
      directory: KeptDirectory;
      slot: string;
      record: KeptRecord;
      listener: Deno.Listener<Deno.UnixConn>;
      transport: StdioTransport;
    },
  ) {
    const { transport } = own;
    this.#router = new MessageRouter((message) =>
      void transport.send(message as unknown as JSONRPCMessage).catch(() => {})
    );
    transport.onmessage = (message) =>
      this.#router.takeFromServer(message as unknown as RpcMessage);
    transport.onUnreadable = (unreadable) => {
      for (const { lines } of this.#calls) void lines.write({ unreadable });
    };
    this.#waitForCalls();
    void this.#accept();
  }

  /**
   * Starts the program, and listens. The caller's own process holds the lock of the directory.
   * Throws if the program cannot be started, or the system's error for the socket.
   */
  static async start(order: KeepOrder): Promise<ServerKeeper> {
    const directory = KeptDirectory.open(order.stateDir, { create: true })!;
    const slot = await slotOf(order);
    const transport = new StdioTransport(order.program, redactor(order.secrets));
    const closed = new Promise<void>((resolve) => transport.onclose = resolve);
    await transport.start();
    const record: KeptRecord = {
      ...(order.kind && { kind: order.kind }),
      ...{ server: order.server, file: order.file, pid: Deno.pid },
      ...{ born: birthOf(Deno.pid) ?? "", startedAt: Date.now() },
      socket: `${slot}-${randomHex(4)}.sock`,
      secret: randomHex(32),
    };
    try {
      const listener = await directory.withAddress(
        record.socket,
        (path) => Deno.listen({ transport: "unix", path }),
      );
      directory.write(slot, record);
      const keeper = new ServerKeeper(order, { directory, slot, record, listener, transport });
      // The program may have ended already.
      closed.then(() => keeper.end());
      return keeper;
    } catch (error) {
      await transport.close();
      throw error;
    }
  }

  /** Resolves when it has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** The process of the program while no call uses it. */
  get idlePid(): number | null {
    return this.#calls.size > 0 ? null : this.own.transport.pid;
  }

  /** Ends the program and removes the files. Connected calls get `why` as the reason. */
  end(why?: string): Promise<void> {
    return this.#ending ??= this.#end(this.#reason = why ?? this.own.transport.exitReason());
  }

  async #end(why: string | Promise<string>): Promise<void> {
    const { transport } = this.own;
    clearTimeout(this.#timer);
    const reason = await why;
    this.#reportEnd(reason);
    await this.#removeFiles();
    this.#stopListening();
    for (const call of this.#calls) void call.lines.write({ ended: reason });
    const written = Promise.all([...this.#calls].map(({ lines }) => lines.written));
    await Promise.race([written, delay(WRITE_MS)]);
    for (const { lines } of this.#calls) lines.close();
    await transport.close();
    this.#ended.resolve();
  }

  #reportEnd(reason: string): void {
    this.onEnd?.(reason);
    this.onEnd = undefined;
  }

  /** The files go first: then no call finds a keeper that is about to end. */
  async #removeFiles(): Promise<void> {
    const { directory, slot, record } = this.own;
    try {
      await directory.withLock(slot, { waitMs: LOCK_MS }, () => directory.remove(slot, record));
    } catch { /* The directory is gone. */ }
  }

  #stopListening(): void {
    try {
      this.own.listener.close();
    } catch { /* It is closed already. */ }
  }

  #waitForCalls(): void {
    clearTimeout(this.#timer);
    if (this.#calls.size > 0) return;
    if (this.#isRetired) return void this.end();
    this.#timer = setTimeout(() => this.#endIfIdle(), this.#idleLeftMs());
  }

  #idleLeftMs(): number {
    return Math.max(0, this.#idleSince + this.order.keepMs - Date.now());
  }

  /** A call that connects holds the lock until it is accepted, so with the lock none is coming. */
  async #endIfIdle(): Promise<void> {
    const { directory, slot, record } = this.own;
    let isIdle = true;
    try {
      isIdle = await directory.withLock(slot, { waitMs: LOCK_MS }, (isLocked) => {
        const isUsed = this.#calls.size > 0 || this.#idleLeftMs() > 0;
        if (isUsed || !isLocked) return false;
        this.#reportEnd(NOT_USED);
        directory.remove(slot, record);
        return true;
      });
    } catch { /* The directory is gone. */ }
    if (isIdle) return await this.end(NOT_USED);
    this.#waitForCalls();
  }

  async #accept(): Promise<void> {
    try {
      for await (const socket of this.own.listener) void this.#serve(socket);
    } catch { /* It does not listen any more. */ }
  }

  async #serve(socket: Deno.Conn): Promise<void> {
    const call: Call = {
      lines: new SocketLines(socket, () => {
        call.lines.close();
        this.#leave(call);
      }),
      send: (message) => void call.lines.write(message),
    };
    const timer = setTimeout(() => call.lines.close(), REQUEST_MS);
    let isFirst = true;
    // The messages of a call wait until its request is checked.
    let checked: Promise<boolean> = Promise.resolve(true);
    const take = (message: RpcMessage | undefined) => {
      if (message === undefined) return;
      if (!isFirst) {
        checked = checked.then((isUsed) => {
          if (isUsed) this.#router.takeFromClient(call, message);
          return isUsed;
        });
        return;
      }
      isFirst = false;
      clearTimeout(timer);
      checked = this.#answer(call, message);
    };
    try {
      await readMessages(socket.readable, { take, isClosed: () => false });
    } catch { /* The call has gone. */ }
    clearTimeout(timer);
    // A call that has gone before its request was checked is added first, and then leaves.
    await checked.catch(() => {});
    call.lines.close();
    this.#leave(call);
  }

  /** Answers the request of a connection. Resolves to whether it may use the server. */
  async #answer(call: Call, { toolcall, proof, order }: RpcMessage): Promise<boolean> {
    const { secret } = this.own.record;
    if (typeof toolcall !== "string" || proof !== await proofOf(secret, toolcall)) {
      call.lines.close();
      return false;
    }
    const isSame = order === await proofOf(secret, orderText(this.order));
    const isUsed = toolcall === "use" && isSame && this.#ending === undefined;
    if (isUsed) {
      this.#calls.add(call);
      this.#router.add(call);
      clearTimeout(this.#timer);
    }
    if (toolcall === "use" && !isSame) await this.#retire();
    const ended = toolcall === "use" && isSame && !isUsed ? await this.#reason : undefined;
    await call.lines.write({
      state: isUsed ? "ready" : "not ready",
      proof: await proofOf(secret, `keeper ${toolcall}`),
      pid: this.own.transport.pid,
      calls: this.#calls.size,
      idleLeftMs: this.#calls.size > 0 ? null : this.#idleLeftMs(),
      ...(ended !== undefined && { ended }),
    });
    if (toolcall === "stop") {
      const isShell = this.order.kind === "shell";
      const reason = isShell ? ": a call ended it" : ': "toolcall mcp stop" ended it';
      this.#reportEnd(reason);
      this.own.directory.remove(this.own.slot, this.own.record);
      void this.end(reason);
    }
    return isUsed;
  }

  /**
   * Makes room for another server, which the caller starts in place of this one. This one ends after
   * its calls, or at once: the other one may need the same port or file.
   */
  async #retire(): Promise<void> {
    this.#isRetired = true;
    this.#stopListening();
    if (this.#calls.size > 0) return;
    clearTimeout(this.#timer);
    await this.own.transport.close();
  }

  #leave(call: Call): void {
    if (!this.#calls.delete(call)) return;
    this.#router.remove(call);
    this.#idleSince = Date.now();
    this.#waitForCalls();
  }
}

function randomHex(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toHex();
}
