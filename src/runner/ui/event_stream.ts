/** A response of server-sent events. The page reads it with `fetch`, because of the token. */
export class EventStream {
  /** The response to the request. */
  readonly response: Response;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #isOpen = true;
  readonly #encoder = new TextEncoder();

  /** `onClose` is called once when the client has gone, or when the stream was closed. */
  constructor(readonly onClose: () => void) {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
        // Deno reports a disconnect only after the response has started.
        controller.enqueue(this.#encoder.encode(": begin\n\n"));
      },
      cancel: () => this.#end(),
    });
    this.response = new Response(body, {
      headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
    });
  }

  /** Sends one event. Does nothing after the end. */
  send(event: string, data: unknown): void {
    if (!this.#isOpen) return;
    const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    this.#controller.enqueue(this.#encoder.encode(text));
  }

  /** Ends the response. */
  close(): void {
    if (!this.#isOpen) return;
    this.#controller.close();
    this.#end();
  }

  #end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.onClose();
  }
}
