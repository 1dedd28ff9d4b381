import { withBrackets } from "../../../base/host.ts";
import { CallError } from "../../../base/errors.ts";
import { osErrorMessage } from "../../../base/os_error_message.ts";

const PATH = "/callback";
const HOSTNAME = "127.0.0.1";

/** The page that the browser shows at the end. It loads nothing and has no script. */
function page(title: string, text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>` +
    `<h1>${title}</h1><p>${text}</p></html>`;
}

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'",
  "referrer-policy": "no-referrer",
};

/**
 * Waits on a loopback address for the end of a login in a browser. Only an answer with the state of
 * this login counts, because any page in the browser can send requests to the address.
 */
export class Callback implements AsyncDisposable {
  /** The value that the answer must repeat. */
  readonly state: string = crypto.getRandomValues(new Uint8Array(32)).toHex();
  #server: Deno.HttpServer<Deno.NetAddr>;
  #answer = Promise.withResolvers<URLSearchParams>();

  /** Listens on the port, or on a free one for 0. Throws `unavailable` for a port in use. */
  constructor(port: number) {
    try {
      this.#server = Deno.serve(
        { hostname: HOSTNAME, port, onListen() {}, onError: () => new Response(null) },
        (request) => this.#respond(request),
      );
    } catch (error) {
      const why = osErrorMessage(error).toLowerCase();
      throw new CallError("unavailable", `Cannot wait for the login on port ${port}: ${why}`);
    }
  }

  /** The address that the browser is sent to. */
  get redirectUri(): string {
    return `http://${withBrackets(HOSTNAME)}:${this.#server.addr.port}${PATH}`;
  }

  /** The parameters of the answer. */
  get answer(): Promise<URLSearchParams> {
    return this.#answer.promise;
  }

  /** Takes the address that a person has copied. Returns what is wrong with it, if anything. */
  take(text: string): string | undefined {
    const url = URL.parse(text.trim());
    if (url === null || url.pathname !== PATH) {
      return `that is not an address that begins with ${this.redirectUri}`;
    }
    return this.#accept(url.searchParams);
  }

  /** Stops listening. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  #respond(request: Request): Response {
    const url = new URL(request.url);
    if (url.pathname !== PATH || request.method !== "GET") {
      return new Response("Not found", { status: 404 });
    }
    const fault = this.#accept(url.searchParams);
    if (fault !== undefined) {
      const text = "This address does not belong to the login that toolcall waits for.";
      return new Response(page("Not this login", text), { status: 400, headers: HEADERS });
    }
    const isDone = url.searchParams.has("code");
    const [title, text] = isDone
      ? ["Logged in", "You can close this page and go back to the terminal."]
      : ["Not logged in", "The authorization server refused. The terminal shows the reason."];
    return new Response(page(title, text), { headers: HEADERS });
  }

  #accept(params: URLSearchParams): string | undefined {
    if (params.get("state") !== this.state) {
      return "its state does not belong to this login; use the newest address";
    }
    if (!params.has("code") && !params.has("error")) return "it has no code";
    this.#answer.resolve(params);
    return undefined;
  }
}
