// deno-lint-ignore-file no-console
/** The system calls of calls that only read, which strace counts. */
// tier: machine
import { expect } from "@std/expect";
import { executable, temporaryDirectory } from "../../support/executable.ts";
import { initialize } from "../../support/mcp/peer.ts";
import { sceneWithDenied as scene } from "./scenes.ts";

const hasStrace = await new Deno.Command("strace", { args: ["true"], stderr: "null" }).output()
  .then(({ success }) => success, () => false);
if (!hasStrace) console.log("skipped: counting system calls needs strace");

/** Runs a server with these lines as its input, and returns its system calls of these names. */
async function trace(flags: string[], { names, lines }: { names: string; lines: object[] }) {
  using directory = temporaryDirectory();
  const log = `${directory.path}/log`;
  const child = new Deno.Command("strace", {
    args: ["-f", "-s", "200", "-e", `trace=${names}`, "-o", log, executable, "mcp", ...flags],
    stdin: "piped",
    stdout: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(
    new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join("")),
  );
  await writer.close();
  await child.status;
  return Deno.readTextFileSync(log).split("\n");
}

Deno.test({
  name: "quick calls > initialize is answered before the library is loaded",
  ignore: !hasStrace,
  async fn() {
    using it = scene();
    const calls = await trace(it.flags, { names: "openat,write", lines: [initialize] });
    const answered = calls.findIndex((call) => call.includes('write(1, "{\\"result\\"'));
    const loaded = calls.slice(0, answered).flatMap((call) =>
      /openat\(.*\/(\w+\.js)", O_RDONLY/.exec(call)?.[1] ?? []
    );
    expect(loaded).toEqual([
      ...["main.js", "runner_cli_commands_mcp.js", "runner_mcp_server_stdio.js"],
    ]);
    expect(calls.slice(answered).join("\n")).toContain("runner_mcp_server_connect_lines.js");
  },
});

Deno.test({
  name: "quick calls > a read opens its file once, and resolves its path no more often than needed",
  ignore: !hasStrace,
  async fn() {
    using it = scene();
    const path = `${it.path}/file.txt`;
    const reads = (count: number) =>
      Array.from({ length: count }, (_, id) => {
        const params = { name: "Read", arguments: { file_path: path } };
        return { jsonrpc: "2.0", id, method: "tools/call", params };
      });
    const counts = [];
    for (const count of [20, 70]) {
      const lines = [initialize, ...reads(count)];
      const calls = await trace(it.flags, { names: "openat,readlink,execve,clone3,statx", lines });
      const of = (name: string) => calls.filter((call) => call.includes(` ${name}(`)).length;
      const journal = calls.filter((call) => call.includes('/patches"')).length;
      counts.push({
        openat: of("openat"),
        readlink: of("readlink"),
        journal,
        others: of("execve") + of("clone3") + of("statx") - journal,
      });
    }
    const [few, many] = counts;
    // The type of the file is checked before it is opened.
    expect((many!.openat - few!.openat) / 50).toBeLessThanOrEqual(2.1);
    // Its path is resolved before the call is allowed, and again by the thread that reads.
    const names = path.split("/").length - 1;
    expect((many!.readlink - few!.readlink) / 50).toBeLessThanOrEqual(2 * names + 0.1);
    // One call checks whether a patch is unfinished.
    expect((many!.journal - few!.journal) / 50).toBeLessThanOrEqual(1.1);
    expect((many!.others - few!.others) / 50).toBeLessThanOrEqual(0.1);
  },
});
