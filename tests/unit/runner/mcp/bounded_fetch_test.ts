/** Requests to busy servers. */
import { expect } from "@std/expect";
import { boundedFetch } from "../../../../src/runner/mcp/bounded_fetch.ts";

/** Sends a request to a server that gives these answers in order, the last one for ever. */
async function send(
  answers: readonly [status: number, retryAfter?: string][],
  body: BodyInit = "asked",
) {
  const bodies: string[] = [];
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const [status, after] = answers[Math.min(bodies.length, answers.length - 1)]!;
      bodies.push(await request.text());
      return new Response("answer", { status, headers: after ? { "retry-after": after } : {} });
    },
  );
  const url = `http://127.0.0.1:${server.addr.port}/`;
  const response = await boundedFetch(url, { method: "POST", body });
  await response.text();
  return { status: response.status, bodies };
}

Deno.test("boundedFetch > a request that a busy server has not begun is sent again when the server says so", async () => {
  const past = new Date(0).toUTCString();
  expect(await send([[429, "0"], [503, past], [200]]))
    .toEqual({ status: 200, bodies: ["asked", "asked", "asked"] });
  // It ends after two more attempts.
  expect(await send([[429, "0"]])).toEqual({ status: 429, bodies: Array(3).fill("asked") });
});

Deno.test("boundedFetch > other answers, long waits and bodies that are streams are not sent again", async () => {
  for (const answer of [[429], [429, "3600"], [429, "soon"], [500, "0"], [404, "0"]] as const) {
    const [status, after] = answer;
    const rows: [number, string?][] = [after === undefined ? [status] : [status, after]];
    expect(await send(rows)).toEqual({ status, bodies: ["asked"] });
  }
  const stream = new Blob(["asked"]).stream();
  expect(await send([[429, "0"]], stream)).toEqual({ status: 429, bodies: ["asked"] });
});
