/** The lint rule that lets only one module answer messages of NATS. */
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import plugin from "../../../../scripts/lint/replies.ts";

const sources = fileURLToPath(new URL("../../../../src/", import.meta.url));

const faults = (source: string, path: string) =>
  Deno.lint.runPlugin(plugin, `${sources}${path}`, source).length;

Deno.test("lint > only one module answers messages of NATS", () => {
  const planted = 'message.respond("");';
  const client = `import type { Msg } from "@nats-io/nats-core";`;
  const rows: [path: string, source: string, faults: number][] = [
    ["runner/remote/service.ts", planted, 1],
    ["runner/remote/service.ts", 'message?.["respond"]("");', 1],
    ["runner/remote/service.ts", "connection.publish(message.reply, data);", 1],
    ["runner/remote/service.ts", "connection.publish(subject, data, { reply: inbox });", 0],
    ["runner/remote/replies.ts", planted, 0],
    ["runner/cli/remote_calls.ts", `${client} ${planted}`, 1],
    ["runner/mcp/server/http.ts", "endpoint.respond(request, port);", 0],
  ];
  for (const [path, source, count] of rows) {
    expect({ path, source, count: faults(source, path) }).toEqual({ path, source, count });
  }
});
