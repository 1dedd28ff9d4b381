import type { Client } from "@modelcontextprotocol/client";
import { toFileUrl } from "@std/path/posix/to-file-url";
import { CallError } from "../../../base/errors.ts";
import type { Grants } from "../../sandbox/policy/grants.ts";
import { readPlaces } from "../../sandbox/policy/read_places.ts";
import { JsonRpcError } from "../json_rpc_error.ts";

/** The most requests of servers that are passed on during one call. */
const MAX_REQUESTS = 10;

/** Passes the requests of servers on, during one call of a tool. */
export interface ServerRequests {
  /** Shows a form to the user. Returns the result of `elicitation/create`. */
  elicit(server: string, params: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Asks the configured model. Returns the result of `sampling/createMessage`. */
  sample(server: string, params: Record<string, unknown>): Promise<Record<string, unknown>>;
}

/** The requests that a server may send, which its connection announces. */
export interface AllowedRequests {
  /** Whether its forms are shown to the user. */
  elicitation: boolean;
  /** Whether its questions to a model are answered. */
  sampling: boolean;
  /** The directories of the read grant. */
  roots: readonly string[];
}

/** Returns what a server may request under these flags. */
export function allowedRequests(
  { grants, root, mayAskUser = false }: { grants: Grants; root: string; mayAskUser?: boolean },
  { sampling }: { sampling: boolean },
): AllowedRequests {
  return { elicitation: mayAskUser, sampling, roots: readPlaces(grants, root) };
}

/** Returns the capabilities to announce. */
export function announcedCapabilities({ elicitation, sampling, roots }: AllowedRequests) {
  return {
    ...(elicitation && { elicitation: { form: {} } }),
    ...(sampling && { sampling: {} }),
    ...(roots.length > 0 && { roots: {} }),
  };
}

/** The calls that run on one connection. The latest one answers the requests of its server. */
export class RequestDesk {
  #calls: { requests: ServerRequests; count: number }[] = [];

  /** Takes the name of the server, and what it may request. */
  constructor(readonly server: string, readonly allowed: AllowedRequests) {}

  /** Lets a call answer requests until the returned function is called. */
  open(requests: ServerRequests | undefined): () => void {
    if (requests === undefined) return () => {};
    const call = { requests, count: 0 };
    this.#calls.push(call);
    return () => void this.#calls.splice(this.#calls.indexOf(call), 1);
  }

  /** Answers a request that comes with a task. Rejects with the reason if it is not allowed. */
  async answer(
    method: string,
    params: Record<string, unknown>,
  ): Promise<Record<string, unknown>> {
    const { elicitation, sampling, roots } = this.allowed;
    if (method === "roots/list" && roots.length > 0) return listedRoots(roots);
    if (method === "elicitation/create" && elicitation) {
      return await this.#answer((requests) => requests.elicit(this.server, params));
    }
    if (method === "sampling/createMessage" && sampling) {
      return await this.#answer((requests) => requests.sample(this.server, params));
    }
    throw new JsonRpcError("methodNotFound", requestRefusal(method));
  }

  /** Lets a client answer the requests of its server. Others are refused with a reason. */
  attach(client: Client): void {
    const { elicitation, sampling, roots } = this.allowed;
    if (roots.length > 0) {
      client.setRequestHandler("roots/list", () => listedRoots(roots));
    }
    if (elicitation) {
      client.setRequestHandler(
        "elicitation/create",
        ({ params }) =>
          this.#answer((requests) => requests.elicit(this.server, { ...params })) as never,
      );
    }
    if (sampling) {
      client.setRequestHandler(
        "sampling/createMessage",
        ({ params }) =>
          this.#answer((requests) => requests.sample(this.server, { ...params })) as never,
      );
    }
    client.fallbackRequestHandler = ({ method }) => {
      throw new JsonRpcError("methodNotFound", requestRefusal(method));
    };
  }

  async #answer<T>(answer: (requests: ServerRequests) => Promise<T>): Promise<T> {
    const call = this.#calls.at(-1);
    const refuse = (why: string) => new JsonRpcError("invalidRequest", why);
    if (call === undefined) throw refuse("toolcall answers requests only during a call of a tool");
    if (++call.count > MAX_REQUESTS) {
      throw refuse(`toolcall answers at most ${MAX_REQUESTS} requests during one call`);
    }
    try {
      return await answer(call.requests);
    } catch (error) {
      // A server gets no more than the reason.
      throw error instanceof CallError ? refuse(error.message) : error;
    }
  }
}

function listedRoots(roots: readonly string[]) {
  return { roots: roots.map((path) => ({ uri: toFileUrl(path).href, name: path })) };
}

/** Returns why a request is refused, and what would allow it. */
export function requestRefusal(method: string): string {
  if (method === "elicitation/create") {
    return "toolcall shows no forms of servers; the user can allow them with --ask=terminal or --ask=exec:PROGRAM";
  }
  if (method === "sampling/createMessage") {
    return 'toolcall asks no model for servers; the user can allow it with "sampling": true in the server\'s configuration';
  }
  return `toolcall does not answer ${method}`;
}
