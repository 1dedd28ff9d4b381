/** Large arguments and results, slow readers, and many results that are kept. */
import { expect } from "@std/expect";
import { attempts } from "../../../support/attempts.ts";
import { executable, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { png } from "../../../support/images.ts";
import { initStreams, natsTest, RunningWorker } from "../../../support/nats_server.ts";
import { lineOf, readCall, resultsIn } from "../submit/submitted.ts";

/** The most bytes of arguments: 64 MiB. */
const MAX_BYTES = 64 * 1024 * 1024;

for (const flags of [["--durable"], []]) {
  const name = ["submit --nats", ...flags].join(" ");

  natsTest(`${name} > arguments of 64 MiB arrive, and larger ones are refused`, async ({ url }) => {
    using directory = temporaryDirectory();
    await initStreams(url);
    await using _ = await RunningWorker.start(url, ["-A", "--durable"]);
    const path = `${directory.path}/big.txt`;
    const write = (content: string) => ({
      id: "w",
      name: "Write",
      arguments: { file_path: path, content },
    });
    // The whole line has the size of the limit, or a tenth of it.
    const frame = lineOf(write("")).length;
    const content = "0123456789abcdef".repeat(attempts(MAX_BYTES) / 16).slice(frame);
    const args = ["submit", `--nats=${url}`, ...flags];
    const run = await toolcall(args, { stdin: lineOf(write(content)) });
    expect({ code: run.code, stderr: run.code === 0 ? "" : run.stdout.slice(0, 500) })
      .toEqual({ code: 0, stderr: "" });
    expect(Deno.readTextFileSync(path) === content).toBe(true);
  });

  natsTest(`${name} > a result of 64 MiB arrives, and a larger one is refused`, async ({ url }) => {
    using directory = temporaryDirectory();
    const tools = `${directory.path}/tools`;
    Deno.mkdirSync(tools, { mode: 0o700 });
    Deno.writeTextFileSync(
      `${tools}/long.ts`,
      `import { simpleTool } from "toolcall";
export default simpleTool("long", "Returns a text.", ({ size }) => "0123456789abcdef".repeat(Number(size) / 16));
`,
      { mode: 0o600 },
    );
    await initStreams(url);
    await using _ = await RunningWorker.start(url, ["-A", "--durable", `--tools-dir=${tools}`]);
    const submit = async (size: number) => {
      const stdin = lineOf({ id: "l", name: "long", arguments: { size } });
      const run = await toolcall(["submit", `--nats=${url}`, ...flags], { stdin });
      return { code: run.code, text: resultsIn(run.stdout)[0]!.content[0]!.text };
    };
    // The whole result has at most the size of the limit, or a tenth of it.
    const size = Math.floor((attempts(MAX_BYTES) - 1_024) / 16) * 16;
    const { code, text } = await submit(size);
    expect({ code, isSame: text === "0123456789abcdef".repeat(size / 16) || text.slice(0, 200) })
      .toEqual({ code: 0, isSame: true });
    const refused = await submit(MAX_BYTES);
    expect(refused.code).toBe(1);
    expect(refused.text.slice(0, 200)).toContain("the most are 64 MiB");
  });

  natsTest(`${name} > a large result is the same as a local one`, async ({ url }) => {
    using directory = temporaryDirectory();
    await initStreams(url);
    await using _ = await RunningWorker.start(url, ["--allow-read=/", "--durable"]);
    const path = `${directory.path}/noise.png`;
    Deno.writeFileSync(path, await png({ width: 1_000, height: 600, isNoise: true }));
    const stdin = [1, 2, 3].map((id) => lineOf(readCall(path, { id }))).join("");
    const remote = await toolcall(["submit", `--nats=${url}`, "--ordered", ...flags], { stdin });
    const local = await toolcall(["submit", "--allow-read=/", "--ordered"], { stdin });
    const sizes = resultsIn(remote.stdout).map((result) => JSON.stringify(result).length);
    // It is too large for a message.
    expect(Math.min(...sizes)).toBeGreaterThan(600_000);
    expect({ code: remote.code, isSame: remote.stdout === local.stdout })
      .toEqual({ code: local.code, isSame: true });
  });

  natsTest(
    `${name} > a slow reader gets every line, and the memory is bounded`,
    async ({ url }) => {
      using directory = temporaryDirectory();
      const path = `${directory.path}/long.txt`;
      Deno.writeTextFileSync(path, `${"x".repeat(99)}\n`.repeat(450));
      await initStreams(url);
      await using _ = await RunningWorker.start(url, ["--allow-read=/", "--durable"]);
      const [count, slow] = [attempts(40_000), attempts(500)];
      const lines = Array.from({ length: count }, (_, id) => lineOf(readCall(path, { id })));
      Deno.writeTextFileSync(`${directory.path}/in`, lines.join(""));
      const child = new Deno.Command("sh", {
        args: ["-c", 'exec "$0" submit "$@" < "$IN"', executable, `--nats=${url}`, ...flags],
        ...{ env: { IN: `${directory.path}/in` }, stdout: "piped", stderr: "null" },
      }).spawn();
      const ids = new Set<string | number>();
      let [rest, bytes, peak] = ["", 0, 0];
      for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
        bytes += part.length;
        const whole = (rest + part).split("\n");
        rest = whole.pop()!;
        for (const line of whole) {
          ids.add(JSON.parse(line).id);
          // Ten lines a second at first, and then as fast as they come.
          if (ids.size <= slow) await new Promise((resolve) => setTimeout(resolve, 100));
        }
        // The last lines are more than a pipe holds, so the program cannot have ended.
        if (ids.size < count - 20) peak = peakBytes(child.pid);
      }
      expect({ code: (await child.status).code, count: ids.size }).toEqual({ code: 0, count });
      expect(bytes).toBeGreaterThan(count * 40_000);
      expect(peak).toBeLessThan(MAX_MEMORY);
    },
  );
}

/** The most memory that submit may take in the slow test, which reads more than half as much again. */
const MAX_MEMORY = 256 * 1024 * 1024;

natsTest("submit --durable > a server keeps the results of many calls", async (server) => {
  using directory = temporaryDirectory();
  const path = `${directory.path}/a.txt`;
  Deno.writeTextFileSync(path, "hello");
  await initStreams(server.url);
  await using _ = await RunningWorker.start(server.url, ["--allow-read=/", "--durable"]);
  // A million results with all attempts. Each has a record of its own, because of the deadline.
  const [parts, size] = [attempts(100), 10_000];
  const before = server.memoryBytes();
  const times: number[] = [];
  for (let part = 0; part < parts; part++) {
    const lines = Array.from({ length: size }, (_, at) => lineOf(readCall(path, { id: at })));
    const args = ["submit", `--nats=${server.url}`, "--durable", "--deadline=1h"];
    const begun = server.processorMs();
    const run = await toolcall([...args, `--batch=p${part}`], { stdin: lines.join("") });
    expect({ part, code: run.code, count: resultsIn(run.stdout).length })
      .toEqual({ part, code: 0, count: size });
    times.push(server.processorMs() - begun);
  }
  // Other programs take time of this machine, so the time of the server's processor counts.
  const [first, last] = [times.slice(0, Math.ceil(parts / 5)), times.slice(-Math.ceil(parts / 5))];
  expect(median(first) / median(last)).toBeGreaterThan(LEAST_RATE);
  // The server keeps the subject of each result in its memory.
  expect(server.memoryBytes() - before).toBeLessThan(64 * 1024 * 1024 + parts * size * 1_024);
});

/** The rate with many results that are kept, beside the rate with few. */
const LEAST_RATE = 0.8;

function median(all: readonly number[]): number {
  const sorted = all.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}

function peakBytes(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(Deno.readTextFileSync(`/proc/${pid}/status`))!;
  return Number(kilobytes) * 1_024;
}
