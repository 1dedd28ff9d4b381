/** A server whose limit on open files is too low for the threads of its calls. */
import { expect } from "@std/expect";
import { executable, temporaryDirectory, toolcall } from "../../../../support/executable.ts";
import { Peer } from "../../../../support/mcp/peer.ts";

Deno.test({
  name:
    "server > each call is answered when few file descriptors are left, and errors name the limit",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using directory = temporaryDirectory();
    const { path } = directory;
    Deno.writeTextFileSync(`${path}/a.txt`, "needle\n");
    await toolcall(["--version"]);
    // A start needs 32. Threads and programs of many calls at once need more than 40.
    const script = ["-c", 'ulimit -n 40 && exec "$@"', "sh", executable];
    await using peer = Peer.start(["-A"], { cwd: path, program: { command: "sh", args: script } });
    await peer.initialize();
    const calls = [...Array(24).keys()].map((number) =>
      number % 2 === 0
        ? peer.call("Bash", { command: "echo needle" })
        : peer.call("Grep", { pattern: "needle", path })
    );
    const results = (await Promise.all(calls)).map(({ result }) => result);
    const failed = results.filter(({ isError }) => isError);
    expect(failed.length).toBeGreaterThan(0);
    for (const { content, _meta } of failed) {
      expect(content[0].text).toMatch(/ulimit -n/);
      expect(_meta["toolcall/error"].code).toBe("unavailable");
    }
    expect(await peer.end()).toBe(0);
  },
});
