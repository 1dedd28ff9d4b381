/** Large arguments and results, slow readers, and many results that are kept. */
// tier: machine
import { expect } from "@std/expect";
import { attempts } from "../../../support/attempts.ts";
import { executable, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { png } from "../../../support/images.ts";
import { initStreams, natsTest, RunningWorker } from "../../../support/nats_server.ts";
import { pause } from "../../../support/wait.ts";
import { lineOf, readCall, resultsIn } from "../submit/submitted.ts";

/** The most bytes of arguments: 64 MiB. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A tool with a result of any size. */
const BIG = `import { simpleTool } from "toolcall";
const text = (size: number) => "0123456789abcdef".repeat(size / 16 + 1).slice(0, size);
export default simpleTool("big", "Returns a text.", ({ size }) => text(Number(size)));
`;

for (const flags of [["--durable"], []]) {
  const name = ["submit --nats", ...flags].join(" ");

  natsTest(`${name} > arguments of 64 MiB arrive`, async ({ url }) => {
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

  natsTest(`${name} > a result of 64 MiB arrives`, async ({ url }) => {
    using directory = temporaryDirectory();
    Deno.writeTextFileSync(`${directory.path}/big.ts`, BIG);
    const tools = `--tools-dir=${directory.path}`;
    await initStreams(url);
    await using _ = await RunningWorker.start(url, ["-A", "--durable", tools]);
    // With the parts around the text, the result has the size of the limit, or a tenth of it.
    const size = attempts(MAX_BYTES) - 1_024;
    const stdin = lineOf({ id: "b", name: "big", arguments: { size } });
    const { code, stdout } = await toolcall(["submit", `--nats=${url}`, tools, ...flags], {
      stdin,
    });
    const [result] = resultsIn(stdout);
    expect({ code, length: result?.content[0]?.text?.length }).toEqual({ code: 0, length: size });
    expect(result!.content[0]!.text === "0123456789abcdef".repeat(size / 16 + 1).slice(0, size))
      .toBe(true);
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
          if (ids.size <= slow) await pause(100, "The reader is slow on purpose");
        }
        // The last lines are larger than the buffer of a pipe, so the program cannot have ended.
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

natsTest(
  "submit --durable > the rate and the memory stay bounded while a server keeps many results",
  async (server) => {
    using directory = temporaryDirectory();
    const path = `${directory.path}/a.txt`;
    Deno.writeTextFileSync(path, "hello");
    await initStreams(server.url);
    await using _ = await RunningWorker.start(server.url, ["--allow-read=/", "--durable"]);
    // A million with all attempts, otherwise a hundredth of it.
    const [parts, size] = [attempts(100), attempts(10_000)];
    const before = server.memoryBytes();
    const count = parts * size;
    const times: number[] = [];
    for (let part = 0; part < parts; part++) {
      const lines = Array.from(
        { length: size },
        (_, at) => lineOf(readCall(path, { id: part * size + at })),
      );
      const args = ["submit", `--nats=${server.url}`, "--durable", `--batch=p${part}`];
      const begun = performance.now();
      const run = await toolcall(args, { stdin: lines.join("") });
      expect({ part, code: run.code, count: resultsIn(run.stdout).length })
        .toEqual({ part, code: 0, count: size });
      times.push(performance.now() - begun);
    }
    // The rate stays, however many results are kept: 0.8 on a quiet machine.
    const tenth = Math.ceil(parts / 10);
    const sum = (some: readonly number[]) => some.reduce((all, each) => all + each, 0);
    const rate = sum(times.slice(0, tenth)) / sum(times.slice(-tenth));
    const grown = server.memoryBytes() - before;
    const figures = `rate ${rate.toFixed(2)}, memory + ${Math.round(grown / 1024 / 1024)} MiB`;
    // deno-lint-ignore no-console -- docs/distribution.md has these figures of the full test
    console.log(`${count} kept results: ${figures}`);
    expect(rate).toBeGreaterThan(0.08);
    // The server keeps the subject of each result in its memory.
    expect(grown).toBeLessThan(64 * 1024 * 1024 + count * 1_024);
  },
);

function peakBytes(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(Deno.readTextFileSync(`/proc/${pid}/status`))!;
  return Number(kilobytes) * 1_024;
}
