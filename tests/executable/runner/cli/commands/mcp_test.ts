/** The command `mcp`: what it waits for before it ends. */
import { expect } from "@std/expect";
import { temporaryDirectory } from "../../../../support/executable.ts";
import { Peer } from "../../../../support/mcp/peer.ts";
import { endlessSleep, processesWith } from "../../../../support/processes.ts";
import { until } from "../../../../support/wait.ts";

Deno.test({
  name: "mcp > the audit log has the call that was running when the client closed the connection",
  ignore: Deno.build.os === "windows",
  async fn() {
    using directory = temporaryDirectory();
    const log = `${directory.path}/audit.jsonl`;
    const flags = ["-A", `--audit=${log}`, `--state-dir=${directory.path}/state`];
    const peer = Peer.start(flags, { cwd: directory.path });
    await peer.initialize();
    const command = `${endlessSleep()}; echo no`;
    const params = { name: "Bash", arguments: { command } };
    await peer.write(
      `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`,
    );
    expect(await until(() => processesWith(command).length > 0)).toBe(true);
    expect(await peer.end()).toBe(0);
    const lines = Deno.readTextFileSync(log).trimEnd().split("\n").map((line) => JSON.parse(line));
    expect(lines.map(({ tool, code }) => [tool, code])).toEqual([["Bash", "cancelled"]]);
  },
});
