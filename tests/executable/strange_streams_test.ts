/** Output streams that other programs have prepared: without room, non-blocking, or broken. */
import { expect } from "@std/expect";
import { executable, temporaryDirectory } from "../support/executable.ts";
import { has } from "../support/programs.ts";

/**
 * Starts a command whose stdout is a non-blocking pipe. Reads it only when the pipe is full or the
 * command has ended. Prints the exit code and the number of bytes.
 */
const SLOW_READER = `
import fcntl, os, select, subprocess, sys
read, write = os.pipe()
fcntl.fcntl(write, fcntl.F_SETFL, fcntl.fcntl(write, fcntl.F_GETFL) | os.O_NONBLOCK)
child = subprocess.Popen(sys.argv[1:], stdout=write, stdin=sys.stdin)
while child.poll() is None and select.select([], [write], [], 0.01)[1]:
    pass
os.close(write)
count = 0
while part := os.read(read, 4096):
    count += len(part)
print(child.wait(), count)
`;

Deno.test({
  name: "streams > a non-blocking stdout gets the whole output",
  ignore: Deno.build.os !== "linux" || !has("python3"),
  async fn() {
    using directory = temporaryDirectory();
    const text = "0123456789abcde\n".repeat(3_000);
    Deno.writeTextFileSync(`${directory.path}/a.txt`, text);
    const state = `--state-dir=${directory.path}/state`;
    const read = { name: "fs.read", arguments: { path: "a.txt" } };
    const call = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: read });
    const first = {
      ...{ jsonrpc: "2.0", id: 0, method: "initialize" },
      params: {
        ...{ protocolVersion: "2025-06-18", capabilities: {} },
        clientInfo: { name: "test", version: "1" },
      },
    };
    const rows: [args: string[], lines: unknown[]][] = [
      [["list", "--format=mcp"], []],
      [
        ["submit", "--allow-read=.", state],
        Array.from({ length: 5 }, (_, id) => ({ id, ...read })),
      ],
      [["mcp", "--allow-read=.", state], [
        first,
        { jsonrpc: "2.0", method: "notifications/initialized" },
        ...[1, 2, 3, 4, 5].map(call),
      ]],
    ];
    for (const [args, lines] of rows) {
      Deno.writeTextFileSync(
        `${directory.path}/in`,
        lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
      );
      const { stdout } = await new Deno.Command("/bin/sh", {
        args: ["-c", 'exec "$@" <in', "sh", "python3", "-c", SLOW_READER, executable, ...args],
        cwd: directory.path,
      }).output();
      const [code, count] = new TextDecoder().decode(stdout).trim().split(" ").map(Number);
      // A pipe has 64 KiB.
      expect({ args, code, isWhole: count! > 64 * 1024 }).toEqual({ args, code: 0, isWhole: true });
    }
  },
});

Deno.test({
  name: "streams > diagnostics that cannot be written do not end a call",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using directory = temporaryDirectory();
    Deno.writeTextFileSync(`${directory.path}/a.txt`, "the text\n");
    for (const stderr of ["2>/dev/full", "2>&-", "2</dev/null"]) {
      const command = `exec "$0" --verbose --allow-read=. fs.read path=a.txt ${stderr}`;
      const { code, stdout } = await new Deno.Command("/bin/sh", {
        args: ["-c", command, executable],
        cwd: directory.path,
      }).output();
      const has = new TextDecoder().decode(stdout).includes("the text");
      expect({ stderr, code, has }).toEqual({ stderr, code: 0, has: true });
    }
  },
});
