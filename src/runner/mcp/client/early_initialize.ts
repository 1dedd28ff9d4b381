import { isObject } from "../../../base/json/is_object.ts";

/** The time after which a program that has not answered is asked in the older way too. */
const PATIENCE_MS = 1_500;

/** The last revision that begins with `initialize`. */
const LAST_WITH_INITIALIZE = "2025-11-25";

/** The keys of the client in a request. The SDK is not imported, because keepers do without it. */
const [CLIENT, CAPABILITIES] = [
  "io.modelcontextprotocol/clientInfo",
  "io.modelcontextprotocol/clientCapabilities",
];

/** The id of the early `initialize`. No other request has it. */
const EARLY = "toolcall-early-initialize";

const METHOD_NOT_FOUND = -32601;

/** A message of JSON-RPC. */
type Message = Record<string, unknown>;

/**
 * Sends `initialize` early to a program that does not answer `server/discover`. Some programs ignore
 * requests that they do not know, and the client would wait for its whole timeout. The first answer
 * decides: a program of today that starts slowly answers `server/discover` first, because it reads
 * the messages in order. The early request carries the metadata of the other one, with its revision:
 * without it such a program would serve the whole connection in the older way.
 */
export class EarlyInitialize {
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The id of the `server/discover` that waits for its answer. */
  #probe: unknown;
  #isSent = false;
  /** The answer to the early `initialize`. */
  #answer: Message | undefined;
  /** The id of the client's own `initialize`, which waits for that answer. */
  #wanted: unknown;

  /** Takes what sends a message to the program, and what gives the client a message. */
  constructor(
    readonly toProgram: (message: Message) => void,
    readonly toClient: (message: Message) => void,
  ) {}

  /** Takes a message of the client. Returns true if the program must not get it. */
  takeFromClient({ id, method, params }: Message): boolean {
    if (method === "server/discover") {
      this.#probe = id;
      this.#timer = setTimeout(() => this.#send(params), PATIENCE_MS);
      return false;
    }
    if (method !== "initialize" || !this.#isSent) return false;
    this.stop();
    this.#wanted = id;
    if (this.#answer !== undefined) this.toClient({ ...this.#answer, id });
    return true;
  }

  /** Takes a message of the program. Returns true if the client must not get it. */
  takeFromProgram(message: Message): boolean {
    const { id, method, result } = message;
    if (method !== undefined) return false;
    if (id !== EARLY) {
      if (id === this.#probe) this.stop();
      return false;
    }
    this.#answer = message;
    if (this.#wanted !== undefined) {
      this.toClient({ ...message, id: this.#wanted });
    } else if (this.#probe !== undefined && isObject(result)) {
      const error = { code: METHOD_NOT_FOUND, message: "The program knows initialize only" };
      this.toClient({ jsonrpc: "2.0", id: this.#probe, error });
      this.stop();
    }
    return true;
  }

  /** Sends no early `initialize` from now on. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#probe = undefined;
  }

  #send(params: unknown): void {
    this.#isSent = true;
    const given = isObject(params) ? params["_meta"] : undefined;
    const meta = isObject(given) ? given : {};
    this.toProgram({
      ...{ jsonrpc: "2.0", id: EARLY, method: "initialize" },
      params: {
        protocolVersion: LAST_WITH_INITIALIZE,
        capabilities: meta[CAPABILITIES] ?? {},
        clientInfo: meta[CLIENT],
        _meta: meta,
      },
    });
  }
}
