/** The cost of a long configuration for a call of a built-in tool. */
import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";

/** The number of calls of each kind in an attempt, and of attempts on a busy machine. */
const [CALLS, ATTEMPTS] = [15, 5];
const MAX_RATIO = 1.15;

function commandTools(count: number): string {
  const tool = {
    description: "Checks the style of one file.",
    run: ["npx", "eslint", "--max-warnings=0", "--", "{path}"],
    inputSchema: {
      type: "object",
      properties: { path: { type: "string", description: "The file." } },
      required: ["path"],
    },
  };
  const commands = Array.from({ length: count }, (_, index) => [`tool_${index}`, tool]);
  return JSON.stringify({ commands: Object.fromEntries(commands) });
}

Deno.test("command tools > a thousand cost a call of a built-in tool at most 15 %", async () => {
  using directory = temporaryDirectory();
  const { path } = directory;
  Deno.writeTextFileSync(`${path}/a.txt`, "Hello\n");
  const counts = [1, 1000];
  for (const count of counts) Deno.writeTextFileSync(`${path}/${count}.json`, commandTools(count));
  const callWith = async (count: number) => {
    const start = performance.now();
    const { stdout } = await toolcall(
      [
        "-A",
        `--config=${path}/${count}.json`,
        "Read",
        JSON.stringify({ file_path: `${path}/a.txt` }),
      ],
    );
    expect(stdout).toContain("Hello");
    return performance.now() - start;
  };
  let best = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS && best > MAX_RATIO; attempt++) {
    const times: [number[], number[]] = [[], []];
    for (let call = 0; call < CALLS; call++) {
      for (const place of [0, 1] as const) times[place].push(await callWith(counts[place]!));
    }
    // The fastest calls are those that nothing else on the machine has slowed down.
    best = Math.min(best, Math.min(...times[1]) / Math.min(...times[0]));
  }
  expect(best).toBeLessThanOrEqual(MAX_RATIO);
});

Deno.test("command tools > a list of a thousand is complete", async () => {
  using directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/toolcall.json`, commandTools(1000));
  const { stdout } = await toolcall(["list", "--format=json"], { cwd: directory.path });
  expect(stdout.match(/"tool_\d+"/g)!.length).toBeGreaterThanOrEqual(1000);
});
