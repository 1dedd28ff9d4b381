/**
 * Measures short reads by `submit` over NATS beside the same reads without it, on this machine. It
 * needs dist/toolcall and nats-server. Run it as: deno run -A scripts/bench_remote.ts [CALLS] [ROUNDS]
 */
import { fileURLToPath } from "node:url";

const executable = fileURLToPath(new URL("../dist/toolcall", import.meta.url));
const [calls, rounds] = [Number(Deno.args[0] ?? 20_000), Number(Deno.args[1] ?? 3)];

/** The submissions that are measured, with their flags and their numbers of workers. */
const PATHS = [
  { name: "request and reply, 1 worker", flags: [], workers: 1 },
  { name: "request and reply, 4 workers", flags: [], workers: 4 },
  { name: "--durable, 1 worker", flags: ["--durable"], workers: 1 },
] as const;

const directory = Deno.makeTempDirSync();
const running: Deno.ChildProcess[] = [];
try {
  await measure();
} finally {
  for (const child of running.toReversed()) {
    child.kill("SIGKILL");
    await child.status;
  }
  Deno.removeSync(directory, { recursive: true });
}

async function measure(): Promise<void> {
  const file = `${directory}/a.txt`;
  Deno.writeTextFileSync(file, "hello");
  const input = Array.from({ length: calls }, (_, id) => ({
    ...{ id, name: "Read", arguments: { file_path: file } },
  }));
  const lines = input.map((each) => JSON.stringify(each)).join("\n");
  Deno.writeTextFileSync(`${directory}/in`, `${lines}\n`);
  const url = await startServer();
  await new Deno.Command(executable, {
    ...{ args: ["worker", "init", `--nats=${url}`], stdout: "null", stderr: "null" },
  }).output();
  const ratios = new Map<string, number[]>();
  let workers = 0;
  for (const { name, flags, workers: wanted } of PATHS.toSorted((a, b) => a.workers - b.workers)) {
    for (; workers < wanted; workers++) await startWorker(url);
    for (let round = 0; round < rounds; round++) {
      const local = await submit(["--allow-read=/"]);
      const remote = await submit([`--nats=${url}`, ...flags]);
      ratios.set(name, [...ratios.get(name) ?? [], remote / local]);
      say(`${name}: ${remote.toFixed(0)}/s, without NATS ${local.toFixed(0)}/s`);
    }
  }
  for (const [name, all] of ratios) {
    const sorted = all.toSorted((a, b) => a - b);
    const median = sorted[sorted.length >> 1]!;
    say(`${name}: median ${median.toFixed(2)}, ${sorted.map((each) => each.toFixed(2)).join(" ")}`);
  }
}

/** Returns the number of calls a second. */
async function submit(flags: readonly string[]): Promise<number> {
  const begun = performance.now();
  // Files, so that this process takes no time from those that are measured.
  const { code } = await new Deno.Command("sh", {
    args: ["-c", '"$0" submit "$@" < "$IN" > "$OUT"', executable, ...flags],
    ...{ env: { IN: `${directory}/in`, OUT: `${directory}/out` }, stderr: "null" },
  }).output();
  const rate = calls / (performance.now() - begun) * 1_000;
  const count = Deno.readTextFileSync(`${directory}/out`).split("\n").length - 1;
  if (code !== 0 || count !== calls) throw new Error(`${flags}: code ${code}, ${count} results`);
  return rate;
}

async function startServer(): Promise<string> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const args = ["-a", "127.0.0.1", "-p", String(port), "-js", "-sd", `${directory}/js`];
  const options = { stdin: "null", stdout: "null", stderr: "null" } as const;
  running.push(new Deno.Command("nats-server", { args, ...options }).spawn());
  for (;;) {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return `nats://127.0.0.1:${port}`;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}

/** Starts a worker, and waits until it offers its tools. */
async function startWorker(url: string): Promise<void> {
  const child = new Deno.Command(executable, {
    args: ["worker", `--nats=${url}`, "--durable", "--allow-read=/"],
    ...{ stdin: "null", stdout: "null", stderr: "piped" },
  }).spawn();
  running.push(child);
  let text = "";
  for await (const part of child.stderr.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (/ offers /.test(text)) return;
  }
  throw new Error(`The worker has ended: ${text}`);
}

function say(text: string): void {
  // deno-lint-ignore no-console -- the output of this script
  console.log(text);
}
