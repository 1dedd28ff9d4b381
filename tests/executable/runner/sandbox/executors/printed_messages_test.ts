/** The output that a tool prints in each way, as messages of a server. */
// tier: machine
import { expect } from "@std/expect";
import { temporaryDirectory } from "../../../../support/executable.ts";
import { Peer } from "../../../../support/mcp/peer.ts";
import { added, ignore, open, scoped, tools, ways } from "./printing_tools.ts";

Deno.test({
  name: "prints > the output over MCP becomes log messages of the call, and the stream stays valid",
  ignore,
  async fn(t) {
    const program = await added();
    using work = temporaryDirectory();
    for (const flags of [scoped, open]) {
      await using peer = Peer.start(flags, { cwd: work.path, env: program.env });
      await peer.initialize();
      await peer.request("logging/setLevel", { level: "debug" });
      for (const tool of tools) {
        await t.step(`${tool} ${flags[0]}`, async () => {
          for (const [way, seen, level] of ways) {
            peer.unasked.splice(0);
            const { result } = await peer.call(tool, { way });
            expect(result.content).toEqual([{ type: "text", text: "answered" }]);
            const messages = peer.unasked.filter(({ method }) => method === "notifications/message")
              .map(({ params }) => params as { level: string; logger: string; data: string });
            const printed = messages.filter(({ data }) => !data.startsWith("while "));
            expect(printed.map(({ level, logger }) => [level, logger])).toEqual([[level, tool]]);
            for (const each of seen) expect(printed[0]!.data).toContain(each);
          }
          peer.unasked.splice(0);
          await peer.call(tool, { way: "nothing" });
          expect(peer.unasked.filter(({ params }) => params?.["data"] === "").length).toBe(0);
        });
      }
      await t.step(
        `calls of several tools at once log under their own names ${flags[0]}`,
        async () => {
          peer.unasked.splice(0);
          await Promise.all(tools.map((tool) => peer.call(tool, { way: "info" })));
          const loggers = peer.unasked.filter(({ params }) => params?.["data"] === "info")
            .map(({ params }) => params!["logger"]);
          expect(loggers.sort()).toEqual([...tools].sort());
        },
      );
    }
  },
});
