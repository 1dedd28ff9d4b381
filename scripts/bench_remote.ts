/**
 * Compares short reads by `submit` over NATS with the same reads without NATS, on this machine. It
 * needs dist/toolcall and nats-server. Run it as: deno run -A scripts/bench_remote.ts [CALLS] [ROUNDS]
 *
 * With --cluster, it compares durable reads with three servers that each keep a copy with the same
 * reads with one server. It writes docs/bench/remote_cluster.json. With --cold, it compares a program
 * that makes one call over NATS with one that makes the call on this machine. It writes
 * docs/bench/remote_cold.json.
 *
 * Without these flags, it writes docs/bench/remote.json, which scripts/simulate_fleet.ts reads: the
 * rates, and the processor time that each process takes for a call.
 */
import { fileURLToPath } from "node:url";

const executable = fileURLToPath(new URL("../dist/toolcall", import.meta.url));
const [callsGiven, roundsGiven] = Deno.args.filter((arg) => !arg.startsWith("--"));
const [calls, rounds] = [Number(callsGiven ?? 20_000), Number(roundsGiven ?? 3)];

/** The submissions that are measured, with their flags and their numbers of workers. */
const PATHS = [1, 4].flatMap((workers) =>
  [
    { name: "request and reply", flags: [] },
    { name: "--durable", flags: ["--durable"] },
    // No call with a deadline shares a message with others.
    { name: "--durable --deadline", flags: ["--durable", "--deadline=1h"] },
  ].map(({ name, flags }) => ({
    ...{ name: `${name}, ${workers} ${workers === 1 ? "worker" : "workers"}`, flags, workers },
  }))
);

/** The number of attempts to make the streams. */
const MAX_TRIES = 100;

/** A submission: its rate, and the processor time of each process for a call. */
interface Sample {
  /** Calls a second, with the start of the program. */
  rate: number;
  /** Microseconds for a call, without the start of the program. */
  micros: { wall: number; submitter: number; server: number; workers: number };
}

const directory = Deno.makeTempDirSync();
const running: Deno.ChildProcess[] = [];
try {
  if (Deno.args.includes("--cluster")) await measureCluster();
  else if (Deno.args.includes("--cold")) await measureCold();
  else await measure();
} finally {
  for (const child of running.toReversed()) {
    child.kill("SIGKILL");
    await child.status;
  }
  Deno.removeSync(directory, { recursive: true });
}

async function measure(): Promise<void> {
  writeInput();
  const url = await startServer();
  await initStreams(url);
  const results = [];
  for (const { name, flags, workers } of PATHS) {
    // The server is the first of the processes.
    while (running.length < 1 + workers) await startWorker(url);
    const samples: Sample[] = [];
    const ratios: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const local = await sample(["--allow-read=/"]);
      const remote = await sample([`--nats=${url}`, ...flags]);
      samples.push(remote);
      ratios.push(remote.rate / local.rate);
    }
    const middle = (of: (sample: Sample) => number) =>
      Math.round(median(samples.map(of)) * 10) / 10;
    const sorted = ratios.toSorted((a, b) => a - b).map((each) => Math.round(each * 100) / 100);
    const result = {
      ...{ name, workers, rate: middle(({ rate }) => rate), ratio: median(sorted), ratios: sorted },
      micros: {
        wall: middle(({ micros }) => micros.wall),
        submitter: middle(({ micros }) => micros.submitter),
        server: middle(({ micros }) => micros.server),
        workers: middle(({ micros }) => micros.workers),
      },
    };
    say(JSON.stringify(result));
    results.push(result);
  }
  write("remote.json", results);
}

/** Measures durable reads with three servers and with one server, in turns. */
async function measureCluster(): Promise<void> {
  writeInput();
  const single = await startServer();
  await initStreams(single);
  await startWorker(single);
  const cluster = await startCluster();
  await initStreams(cluster, ["--replicas=3"]);
  await startWorker(cluster);
  const results = [];
  for (const { name, flags } of PATHS.slice(1, 3)) {
    const samples: { one: Sample; three: Sample }[] = [];
    for (let round = 0; round < rounds; round++) {
      samples.push({
        one: await sample([`--nats=${single}`, ...flags]),
        three: await sample([`--nats=${cluster}`, ...flags]),
      });
    }
    const ratios = samples.map(({ one, three }) => three.rate / one.rate).sort((a, b) => a - b)
      .map((each) => Math.round(each * 100) / 100);
    const rate = (of: "one" | "three") => Math.round(median(samples.map((each) => each[of].rate)));
    const result = { name, one: rate("one"), three: rate("three"), ratio: median(ratios), ratios };
    say(JSON.stringify(result));
    results.push(result);
  }
  write("remote_cluster.json", results);
}

/**
 * Measures the start of programs, in turns: one that prints a word, a local call, and a call over
 * NATS. The first one is the floor of the other two. Each round is a pair of calls.
 */
async function measureCold(): Promise<void> {
  writeInput();
  const url = await startServer();
  await initStreams(url);
  await startWorker(url);
  const hello = `${directory}/hello.js`;
  Deno.writeTextFileSync(hello, 'console.log("hello");\n');
  const file = `file_path=${directory}/a.txt`;
  const programs = {
    floor: [Deno.execPath(), "run", hello],
    local: [executable, "--allow-read=/", "Read", file],
    remote: [executable, `--nats=${url}`, "Read", file],
  };
  const rows: Record<keyof typeof programs, Usage>[] = [];
  for (let round = 0; round <= calls; round++) {
    const row = {
      floor: await timed(programs.floor),
      local: await timed(programs.local),
      remote: await timed(programs.remote),
    };
    // The first round fills caches.
    if (round > 0) rows.push(row);
  }
  const rounded = (value: number) => Math.round(value * 100) / 100;
  const results = (["processorMs", "wallMs"] as const).map((time) => {
    const middle = (of: keyof typeof programs) => median(rows.map((row) => row[of][time]));
    const more = median(rows.map(({ local, remote }) => remote[time] - local[time]));
    return {
      ...{ time, floor: rounded(middle("floor")), local: rounded(middle("local")) },
      ...{ remote: rounded(middle("remote")), more: rounded(more) },
      floors: rounded(more / middle("floor")),
    };
  });
  for (const result of results) say(JSON.stringify(result));
  write("remote_cold.json", results);
}

/** The duration of a program, and its time on all processors together. */
interface Usage {
  wallMs: number;
  processorMs: number;
}

/** Runs a program. A shell runs it, because the shell reports the times of its child process. */
async function timed(command: readonly string[]): Promise<Usage> {
  const { code, stderr } = await new Deno.Command("bash", {
    args: ["-c", 'TIMEFORMAT="%R %U %S"; time "$@" > /dev/null 2> /dev/null', "bash", ...command],
    stderr: "piped",
  }).output();
  if (code !== 0) throw new Error(`${command.join(" ")}: code ${code}`);
  const [wall, user, system] = new TextDecoder().decode(stderr).trim().split(" ").map(Number);
  return { wallMs: wall! * 1_000, processorMs: (user! + system!) * 1_000 };
}

/** Writes a file of results into docs/bench. */
function write(name: string, results: readonly unknown[]): void {
  const [version] = /\d+\.\d+\.\d+/.exec(
    new TextDecoder().decode(new Deno.Command("nats-server", { args: ["-v"] }).outputSync().stdout),
  )!;
  const whole = { server: version, cores: navigator.hardwareConcurrency, calls, rounds, results };
  const target = new URL(`../docs/bench/${name}`, import.meta.url);
  Deno.writeTextFileSync(target, `${JSON.stringify(whole, null, 2)}\n`);
}

/** Writes the file that the calls read, and the inputs of submissions of one call and of all. */
function writeInput(): void {
  const file = `${directory}/a.txt`;
  // Read adds a note if a file does not end with a line end, which would take longer.
  Deno.writeTextFileSync(file, "hello\n");
  for (const [name, count] of [["one", 1], ["all", calls]] as const) {
    const lines = Array.from({ length: count }, (_, id) => ({
      ...{ id, name: "Read", arguments: { file_path: file } },
    }));
    Deno.writeTextFileSync(
      `${directory}/${name}`,
      lines.map((each) => JSON.stringify(each) + "\n").join(""),
    );
  }
}

/** Makes the streams. The servers of a cluster have to find each other first. */
async function initStreams(url: string, flags: readonly string[] = []): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const args = ["worker", "init", `--nats=${url}`, ...flags];
    const { success } = await new Deno.Command(executable, {
      ...{ args, stdout: "null", stderr: "null" },
    }).output();
    if (success) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`Cannot make the streams at ${url}`);
}

/** Measures a submission, and one of a single call, which shows how long the start takes. */
async function sample(flags: readonly string[]): Promise<Sample> {
  const start = await submit(flags, "one", 1);
  const [server, ...workers] = running.map(({ pid }) => processorMs(pid));
  const whole = await submit(flags, "all", calls);
  const [serverAfter, ...workersAfter] = running.map(({ pid }) => processorMs(pid));
  const each = (ms: number) => ms * 1_000 / calls;
  return {
    rate: calls / whole.wallMs * 1_000,
    micros: {
      wall: each(whole.wallMs - start.wallMs),
      submitter: each(whole.processorMs - start.processorMs),
      server: each(serverAfter! - server!),
      workers: each(sum(workersAfter) - sum(workers)),
    },
  };
}

/** Submits the calls of a file. */
async function submit(
  flags: readonly string[],
  input: string,
  count: number,
): Promise<{ wallMs: number; processorMs: number }> {
  const begun = performance.now();
  // The output goes to files, so that this process takes no time from the measured ones.
  const { code, stderr } = await new Deno.Command("bash", {
    args: [
      "-c",
      'TIMEFORMAT="%U %S"; time "$0" submit "$@" < "$IN" > "$OUT" 2> /dev/null',
      executable,
      ...flags,
    ],
    ...{ env: { IN: `${directory}/${input}`, OUT: `${directory}/out` }, stderr: "piped" },
  }).output();
  const wallMs = performance.now() - begun;
  const found = Deno.readTextFileSync(`${directory}/out`).split("\n").length - 1;
  if (code !== 0 || found !== count) throw new Error(`${flags}: code ${code}, ${found} results`);
  const times = new TextDecoder().decode(stderr).trim().split(" ").map(Number);
  return { wallMs, processorMs: sum(times) * 1_000 };
}

/** The processor time of a process in milliseconds. The system counts in hundredths of a second. */
function processorMs(pid: number): number {
  const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function sum(all: readonly number[]): number {
  return all.reduce((a, b) => a + b, 0);
}

function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[all.length >> 1]!;
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** Starts three servers of a cluster. Returns their URLs with commas between. */
async function startCluster(): Promise<string> {
  const ports = [freePort(), freePort(), freePort()];
  const routes = ports.map((port) => `nats://127.0.0.1:${port}`).join(",");
  const urls = ports.map((port, at) => {
    const cluster = ["--cluster_name", "c", "--cluster", `nats://127.0.0.1:${port}`];
    return startServer(["-n", `n${at}`, ...cluster, "--routes", routes], `cluster${at}`);
  });
  return (await Promise.all(urls)).join(",");
}

async function startServer(more: readonly string[] = [], name = "js"): Promise<string> {
  const port = freePort();
  const store = `${directory}/${name}`;
  const args = ["-a", "127.0.0.1", "-p", String(port), "-js", "-sd", store, ...more];
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
