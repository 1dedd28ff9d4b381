/** A proxy for TCP connections on loopback. Tests cut it, or look at what passes. */

/** Sends on what comes from one connection to another one. Resolves when there is no more. */
export type Forward = (from: Deno.TcpConn, to: Deno.TcpConn) => Promise<void>;

/** Passes the bytes of connections to its port on to the port `target`, and back, until it is cut. */
export class Link {
  readonly port: number;
  #isCut = false;
  readonly #open = new Set<Deno.Conn>();
  readonly #listener: Deno.TcpListener;

  /** Listens on `port`, or on any free port if it is 0. */
  constructor(
    port: number,
    readonly target: number,
    readonly forward: Forward = (from, to) => from.readable.pipeTo(to.writable),
  ) {
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port });
    this.port = this.#listener.addr.port;
    this.#accept();
  }

  /** Ends its connections, and refuses new ones. */
  cut(): void {
    this.#isCut = true;
    for (const each of this.#open) close(each);
    this.#open.clear();
  }

  /** Accepts connections again. */
  heal(): void {
    this.#isCut = false;
  }

  [Symbol.dispose](): void {
    this.cut();
    close(this.#listener);
  }

  async #accept(): Promise<void> {
    for await (const near of this.#listener) {
      if (this.#isCut) {
        close(near);
        continue;
      }
      try {
        const far = await Deno.connect({ hostname: "127.0.0.1", port: this.target });
        for (const each of [near, far]) this.#open.add(each);
        this.forward(near, far).catch(() => {}).finally(() => close(far));
        this.forward(far, near).catch(() => {}).finally(() => close(near));
      } catch {
        // The other server is down.
        close(near);
      }
    }
  }
}

function close(resource: { close(): void }): void {
  try {
    resource.close();
  } catch { /* It is closed already. */ }
}
