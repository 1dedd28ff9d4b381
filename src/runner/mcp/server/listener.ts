import { delay } from "@std/async/delay";

/** The pause before the server listens again after a failure, in milliseconds. */
const RESTART_MS = 1_000;

/** Listens until it is closed, also when the process runs out of file descriptors meanwhile. */
export class Listener {
  /** The address that it listens on. */
  readonly address: Deno.NetAddr;
  #server: Deno.HttpServer<Deno.NetAddr>;
  #isClosed = false;

  /** Begins to listen. Throws the system's error if it cannot. */
  constructor(
    { hostname, port }: { hostname: string; port: number },
    readonly respond: (request: Request) => Promise<Response>,
  ) {
    this.#server = this.#listen(hostname, port);
    this.address = this.#server.addr;
    this.#keepListening(hostname);
  }

  /** Accepts no further connections. Resolves when the open ones have ended. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#server.shutdown().catch(() => {});
  }

  #listen(hostname: string, port: number): Deno.HttpServer<Deno.NetAddr> {
    return Deno.serve({ hostname, port, onListen() {} }, this.respond);
  }

  async #keepListening(hostname: string): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#server.finished;
      } catch {
        await delay(RESTART_MS);
      }
      if (this.#isClosed) return;
      try {
        this.#server = this.#listen(hostname, this.address.port);
      } catch { /* The next round tries again: `finished` of the failed server rejects at once. */ }
    }
  }
}
