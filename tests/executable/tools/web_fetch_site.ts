/** A server of pages, and calls of WebFetch to it. */
import { type Answering, countingServer } from "../../support/counting_server.ts";
import { call, temporaryDirectory } from "../../support/executable.ts";
import { submitCalls } from "./submitted_calls.ts";

/** A server, and calls of WebFetch to it with a new state directory. */
export function site(answer: Answering) {
  const directory = temporaryDirectory();
  const server = countingServer(answer);
  const state = `--state-dir=${directory.path}/state`;
  const granted = [`--allow-net=${server.host}`, state];
  return {
    server,
    state,
    fetch(path: string, flags: string[] = [], args: Record<string, unknown> = {}) {
      const url = `http://${server.host}${path}`;
      return call("WebFetch", { url, prompt: "What is it?", ...args }, {
        flags: [...granted, ...flags],
      });
    },
    /** Fetches the paths "/0", "/1" and so on in one process. */
    fetchAll(count: number) {
      const calls = Array.from({ length: count }, (_, at) => {
        const url = `http://${server.host}/${at}`;
        return { name: "WebFetch", arguments: { url, prompt: "What is it?" } };
      });
      return submitCalls(calls, { flags: granted, jobs: 8 });
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
    },
  };
}

/** A response of that type. */
export function typed(type: string, body: BodyInit | null, init: ResponseInit = {}): Response {
  return new Response(body, { ...init, headers: { ...init.headers, "content-type": type } });
}
