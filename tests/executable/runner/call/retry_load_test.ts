/** Retries of many processes at once, the time of a pause, and the threads that remain. */
// tier: machine
import { expect } from "@std/expect";
import { call } from "../../../support/executable.ts";
import { type Answering, countingServer } from "../../../support/counting_server.ts";
import { Peer } from "../../../support/mcp/peer.ts";
import { until } from "../../../support/wait.ts";
import { failing, page } from "./failing_server.ts";

Deno.test("retries > each of many concurrent processes makes its own retries, and no more", async () => {
  const processes = Array.from({ length: 24 }, (_, at) => at);
  // Each process asks for another page. The server answers a third of the pages at once, a third at
  // the third request, and a third never.
  const answer: Answering = (path, { requests }) => {
    const at = Number(path.slice("/page".length));
    const count = requests.filter((each) => each.path === path).length;
    return count > [0, 2, Infinity][at % 3]!
      ? new Response(`Page ${at}`, { headers: { "content-type": "text/plain" } })
      : new Response("Not now", { status: 503 });
  };
  await using server = countingServer(answer);
  const results = await Promise.all(
    processes.map((at) =>
      call("WebFetch", { ...page(server.host), url: `http://${server.host}/page${at}` }, {
        flags: [`--allow-net=${server.host}`],
      })
    ),
  );
  const outcomes = results.map(({ isError, text }, at) => ({
    isRight: isError ? /tried 3 times/i.test(text) : text.includes(`Page ${at}`),
    asked: server.requests.filter(({ path }) => path === `/page${at}`).length,
    isError,
  }));
  expect(outcomes).toEqual(processes.map((at) => ({
    isRight: true,
    asked: [1, 3, 3][at % 3],
    isError: at % 3 === 2,
  })));
});

Deno.test("retries > a retry waits as long as the server asks", async () => {
  await using server = failing({ status: 429, times: 1, headers: { "retry-after": "2" } });
  const result = await call("rss_feed", { url: `http://${server.host}/feed` }, {
    flags: [`--allow-net=${server.host}`],
  });
  expect(result.isError).toBe(false);
  const [first, second] = server.moments;
  // Timers may be some milliseconds early.
  expect(second! - first!).toBeGreaterThan(1_950);
});

Deno.test({
  name: "retries > no thread of an earlier try remains in a server",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using server = failing({ status: 503, times: 99, headers: { "retry-after": "0" } });
    await using peer = Peer.start([`--allow-net=${server.host}`]);
    await peer.initialize();
    const fetched = async () => {
      const { result } = await peer.call("rss_feed", { url: `http://${server.host}/feed` });
      expect(result.content[0].text).toContain("tried 3 times");
    };
    const threads = () => [...Deno.readDirSync(`/proc/${peer.process.pid}/task`)].length;
    await Promise.all([fetched(), fetched()]);
    const before = threads();
    await Promise.all([fetched(), fetched(), fetched()]);
    // Nine threads were started, and one may be about to end.
    expect(await until(() => threads() <= before + 2)).toBe(true);
    expect(server.requests).toHaveLength(15);
  },
});
