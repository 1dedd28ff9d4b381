import { isObject } from "../../../base/json/is_object.ts";

/** A JSON-RPC message. */
export type RpcMessage = Record<string, unknown>;

/** A connected call, as far as the router uses it. */
export interface RouterClient {
  /** Sends a message to the call. */
  send(message: RpcMessage): void;
}

/** A request of a call that the server has not answered. */
interface Pending {
  client: RouterClient;
  /** The id of the request in the call. */
  id: unknown;
  /** The token of its progress in the call. */
  token: unknown;
}

/** The key under which a notification names the request that subscribed to it. */
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

const [METHOD_NOT_FOUND, INTERNAL_ERROR] = [-32601, -32603];

/**
 * Shares one session of a server between calls. Each call sees it as a server of its own: ids and
 * progress tokens are replaced, and the server is initialised once. A request of the server goes to
 * the call that waits for it, or else to any call.
 */
export class MessageRouter {
  #clients = new Set<RouterClient>();
  #pending = new Map<number | string, Pending>();
  #asked = new Map<unknown, RouterClient>();
  #count = 0;
  /** The answer to `initialize`, and the calls that wait for it. */
  #greeting: { answer?: RpcMessage; waiting: [client: RouterClient, id: unknown][] } | undefined;
  #isInitialised = false;

  /** Takes what sends a message to the server. */
  constructor(readonly sendToServer: (message: RpcMessage) => void) {}

  /** Adds a call. */
  add(client: RouterClient): void {
    this.#clients.add(client);
  }

  /** Removes a call, and cancels its requests. */
  remove(client: RouterClient): void {
    if (!this.#clients.delete(client)) return;
    for (const [id, pending] of this.#pending) {
      if (pending.client !== client) continue;
      this.#pending.delete(id);
      this.#cancel(id, "The caller has gone");
    }
    for (const [id, asked] of this.#asked) {
      if (asked !== client) continue;
      this.#asked.delete(id);
      this.sendToServer(errorAnswer(id, INTERNAL_ERROR, "The caller has gone"));
    }
  }

  /** Takes a message of a call. */
  takeFromClient(client: RouterClient, message: RpcMessage): void {
    const { id, method, params } = message;
    if (typeof method !== "string") {
      if (this.#asked.get(id) !== client) return;
      this.#asked.delete(id);
      return this.sendToServer(message);
    }
    if (id === undefined) return this.#takeNotification(client, message);
    if (method === "initialize") return this.#greet(client, message);
    if (method === "server/discover" && this.#greeting !== undefined) {
      // The server has a session of an older revision, and some servers exit at this request.
      return client.send(errorAnswer(id, METHOD_NOT_FOUND, "Method not found"));
    }
    const own = this.#ownId(id);
    const meta = metaOf(params);
    const token = meta?.["progressToken"];
    this.#pending.set(own, { client, id, token });
    const withToken = token === undefined ? {} : {
      params: { ...params as RpcMessage, _meta: { ...meta, progressToken: own } },
    };
    this.sendToServer({ ...message, id: own, ...withToken });
  }

  /** Takes a message of the server. */
  takeFromServer(message: RpcMessage): void {
    const { id, method } = message;
    if (typeof method !== "string") return this.#takeAnswer(message);
    if (id === undefined) return this.#spread(message);
    if (method === "ping") return this.sendToServer({ jsonrpc: "2.0", id, result: {} });
    const callers = [...this.#pending.values()].map(({ client }) => client);
    const client = [...this.#clients, ...callers].findLast((each) => this.#clients.has(each));
    if (client === undefined) {
      return this.sendToServer(errorAnswer(id, INTERNAL_ERROR, "No call is running"));
    }
    this.#asked.set(id, client);
    client.send(message);
  }

  /** Sends the first `initialize` to the server. Later ones get the same answer. */
  #greet(client: RouterClient, message: RpcMessage): void {
    const { answer } = this.#greeting ?? {};
    if (answer !== undefined) return client.send({ ...answer, id: message["id"] });
    const isFirst = this.#greeting === undefined;
    this.#greeting ??= { waiting: [] };
    this.#greeting.waiting.push([client, message["id"]]);
    if (!isFirst) return;
    const own = this.#ownId(message["id"]);
    const greeter = { send: (answer: RpcMessage) => this.#takeGreeting(answer) };
    this.#pending.set(own, { client: greeter, id: own, token: undefined });
    this.sendToServer({ ...message, id: own });
  }

  #takeGreeting(answer: RpcMessage): void {
    const waiting = this.#greeting?.waiting ?? [];
    // After an error the next call tries again.
    this.#greeting = answer["error"] === undefined ? { answer, waiting: [] } : undefined;
    for (const [client, id] of waiting) client.send({ ...answer, id });
  }

  #takeNotification(client: RouterClient, message: RpcMessage): void {
    const { method, params } = message;
    if (method === "notifications/initialized") {
      if (this.#isInitialised) return;
      this.#isInitialised = true;
    } else if (method === "notifications/cancelled") {
      const given = isObject(params) ? params["requestId"] : undefined;
      const [own] = [...this.#pending].find(([, each]) =>
        each.client === client && each.id === given
      ) ?? [];
      if (own === undefined) return;
      this.#pending.delete(own);
      return this.sendToServer({ ...message, params: { ...params as RpcMessage, requestId: own } });
    }
    this.sendToServer(message);
  }

  #takeAnswer(message: RpcMessage): void {
    const own = message["id"] as number | string;
    const pending = this.#pending.get(own);
    if (pending === undefined) return;
    this.#pending.delete(own);
    pending.client.send({ ...message, id: pending.id });
  }

  /** Sends a notification to the call that it concerns, or to all calls. */
  #spread(message: RpcMessage): void {
    const { method } = message;
    const params = isObject(message["params"]) ? message["params"] : {};
    if (method === "notifications/progress") {
      const pending = this.#pending.get(params["progressToken"] as number | string);
      const progressToken = pending?.token;
      return pending?.client.send({ ...message, params: { ...params, progressToken } });
    }
    if (method === "notifications/cancelled") {
      const { requestId } = params;
      this.#asked.get(requestId)?.send(message);
      this.#asked.delete(requestId);
      return;
    }
    const meta = metaOf(params);
    const subscription = meta?.[SUBSCRIPTION];
    if (subscription === undefined) {
      for (const client of this.#clients) client.send(message);
      return;
    }
    const pending = this.#pending.get(subscription as number | string);
    const named = { ...params, _meta: { ...meta, [SUBSCRIPTION]: pending?.id } };
    pending?.client.send({ ...message, params: named });
  }

  #cancel(requestId: number | string, reason: string): void {
    const method = "notifications/cancelled";
    this.sendToServer({ jsonrpc: "2.0", method, params: { requestId, reason } });
  }

  /** A new id of the same type, because some servers expect numbers. */
  #ownId(id: unknown): number | string {
    this.#count++;
    return typeof id === "number" ? this.#count : `toolcall-${this.#count}`;
  }
}

function metaOf(params: unknown): RpcMessage | undefined {
  const meta = isObject(params) ? params["_meta"] : undefined;
  return isObject(meta) ? meta : undefined;
}

function errorAnswer(id: unknown, code: number, message: string): RpcMessage {
  return { jsonrpc: "2.0", id, error: { code, message } };
}
