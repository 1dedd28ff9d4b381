import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { Peer } from "../../../support/mcp/peer.ts";
import { has } from "../../../support/programs.ts";
import { until } from "../../../support/wait.ts";

/** Prints lines, of which the last is not complete, and waits for the file `go`. */
const WAITS = 'printf "%b" "compiling a\\ncompiling b\\r\\e[2K\\n\\ncompil"; ' +
  "until [ -e go ]; do sleep 0.1; done; echo ing c";
const PROJECTS: readonly (readonly [
  tool: string,
  args: Record<string, unknown>,
  line: string,
])[] = [
  ["Bash", { command: WAITS }, "compiling b"],
  // The project's tests are started by make.
  ...(has("make") ? [["test", { path: "." }, "compiling b"] as const] : []),
];

for (const flags of [["-A"], ["--allow-run=bash,make,sleep", "--allow-read"]]) {
  Deno.test(`followed output > a running call reports its last complete line as progress, with ${flags[0]}`, async (t) => {
    for (const [tool, args, line] of PROJECTS) {
      await t.step(tool, async () => {
        using directory = temporaryDirectory();
        const { path } = directory;
        Deno.writeTextFileSync(`${path}/run.sh`, WAITS);
        Deno.writeTextFileSync(`${path}/Makefile`, "test:\n\t@bash run.sh\n");
        const granted = flags.includes("-A") ? flags : [...flags, `--allow-write=${path}`];
        await using peer = Peer.start(granted, { cwd: path });
        await peer.initialize();
        const answer = peer.request("tools/call", {
          ...{ name: tool, arguments: args },
          _meta: { progressToken: "it" },
        });
        const isReported = () =>
          peer.unasked.some(({ method, params }) =>
            method === "notifications/progress" && params?.["message"] === line
          );
        expect(await until(isReported)).toBe(true);
        Deno.writeTextFileSync(`${path}/go`, "");
        const { result } = await answer;
        expect(result.isError).toBe(false);
        expect(result.content[0].text).toContain("compiling c");
      });
    }
  });
}

Deno.test("followed output > TOOLCALL_PROGRESS set by the caller prints no progress to stdout", async () => {
  // time: progress is reported once a second, and the test proves that it is not printed
  const { stdout } = await toolcall(["-A", "Bash", '{"command":"echo a; sleep 1.5; echo b"}'], {
    env: { TOOLCALL_PROGRESS: String(Deno.pid) },
  });
  expect(JSON.parse(stdout).content).toEqual([{ type: "text", text: "a\nb\n" }]);
});
