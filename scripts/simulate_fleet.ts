/**
 * Simulates workers on many machines, event by event, with the processor times that
 * scripts/bench_remote.ts has measured with one worker. Writes docs/fleet.svg. With `--check` it
 * writes nothing and fails when the picture differs from what it would write.
 */
import { fileURLToPath } from "node:url";
import measured from "../docs/bench/remote.json" with { type: "json" };

/** The processor time of each process for a call, in microseconds. */
export interface Costs {
  submitter: number;
  server: number;
  workers: number;
}

/** A fleet, and the calls that it gets. */
export interface Fleet {
  costs: Costs;
  /** The numbers of processes. Each server has its own stream, and its share of the workers. */
  submitters: number;
  servers: number;
  workers: number;
  /** The processors that all processes share. Without it, each process has its own. */
  cores?: number;
  /** The mean time of a tool on the worker's processor, in microseconds. */
  toolMicros?: number;
  /** The number of calls. */
  calls: number;
}

/** The calls that a submitter keeps open, and those that a worker takes at once. */
const [IN_FLIGHT, SLOTS] = [64, 16];

/** A process, which works on one step at a time. */
interface Process {
  queue: Fifo<{ call: Call; micros: number }>;
}

/** A queue. */
class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  get first(): T | undefined {
    return this.#items[this.#head];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  take(): T {
    const item = this.#items[this.#head]!;
    this.#items[this.#head++] = undefined;
    if (this.#head > 1_000 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}

/** The busy processes as a heap. The first one to end its step is on top. */
class Heap {
  readonly #items: { end: number; process: Process }[] = [];

  get size(): number {
    return this.#items.length;
  }

  push(item: { end: number; process: Process }): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (items[parent]!.end <= item.end) break;
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = item;
  }

  pop(): { end: number; process: Process } {
    const items = this.#items;
    const top = items[0]!;
    const item = items.pop()!;
    if (items.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && items[child + 1]!.end < items[child]!.end) child++;
      if (items[child]!.end >= item.end) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = item;
    return top;
  }
}

/** A call, and the step that it is in. */
interface Call {
  submitter: number;
  server: number;
  worker: number;
  step: number;
}

/** Returns the calls a second, without the first and the last tenth of the calls. */
export function simulate(fleet: Fleet): number {
  const { costs, cores = Infinity, toolMicros = 0, calls } = fleet;
  const make = (count: number) =>
    Array.from({ length: count }, (): Process => ({ queue: new Fifo() }));
  const submitters = make(fleet.submitters);
  const servers = make(fleet.servers);
  const workers = make(fleet.workers);
  const free = workers.map(() => SLOTS);
  const waiting = servers.map(() => new Fifo<Call>());
  const active = new Heap();
  const random = generator();
  let [now, shared, sent, done, first, last] = [0, 0, 0, 0, 0, 0];

  const give = (process: Process, call: Call, micros: number) => {
    process.queue.push({ call, micros });
    if (process.queue.length === 1) active.push({ end: shared + micros, process });
  };
  const send = (submitter: number) => {
    if (sent >= calls) return;
    const call = { submitter, server: sent % servers.length, worker: -1, step: 0 };
    sent++;
    give(submitters[submitter]!, call, costs.submitter / 2);
  };
  /** Gives the calls that wait at a server to its workers with free slots, each in its turn. */
  const turn = servers.map((_, at) => at);
  const pull = (server: number) => {
    for (let tries = 0; tries < workers.length && waiting[server]!.length > 0;) {
      const worker = turn[server]!;
      turn[server] = worker + servers.length < workers.length ? worker + servers.length : server;
      if (free[worker]! === 0) {
        tries += servers.length;
        continue;
      }
      tries = 0;
      free[worker]!--;
      const call = waiting[server]!.take();
      call.worker = worker;
      const tool = toolMicros === 0 ? 0 : -Math.log(1 - random()) * toolMicros;
      give(workers[worker]!, call, costs.workers + tool);
    }
  };
  /** The steps of a call: sending, waiting, running, storing the result, and reading it. */
  const next = (call: Call) => {
    const { submitter, server, worker } = call;
    call.step++;
    if (call.step === 1) give(servers[server]!, call, costs.server / 2);
    else if (call.step === 2) {
      waiting[server]!.push(call);
      pull(server);
    } else if (call.step === 3) {
      free[worker]!++;
      give(servers[server]!, call, costs.server / 2);
      pull(server);
    } else if (call.step === 4) give(submitters[submitter]!, call, costs.submitter / 2);
    else {
      done++;
      if (done === Math.floor(calls / 10)) first = now;
      if (done === Math.floor(calls * 9 / 10)) last = now;
      send(submitter);
    }
  };

  for (let at = 0; at < IN_FLIGHT * submitters.length; at++) send(at % submitters.length);
  while (active.size > 0) {
    // The busy processes share the processors equally, and none uses more than one. So `shared` is
    // the processor time of every busy process so far, and the order of their ends never changes.
    const speed = Math.min(1, cores / active.size);
    const { end, process } = active.pop();
    now += (end - shared) / speed;
    shared = end;
    const { call } = process.queue.take();
    const following = process.queue.first;
    if (following !== undefined) active.push({ end: shared + following.micros, process });
    next(call);
  }
  return calls * 8 / 10 / (last - first) * 1e6;
}

/** Pseudorandom numbers from 0 to 1, which are the same in each run. */
function generator(): () => number {
  let state = 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/**
 * The paths with measured costs, by their names in docs/bench/remote.json: short reads share messages,
 * and other calls have a message each.
 */
export const [PACKED, ALONE] = ["--durable, 1 worker", "--durable --deadline, 1 worker"];

/** The measured costs of a path. */
export function costsOf(name: string): Costs {
  const found = measured.results.find((each) => each.name === name);
  if (found === undefined) throw new Error(`docs/bench/remote.json has no path "${name}"`);
  return found.micros;
}

/** The numbers of workers in the picture. */
export const SIZES = [4, 64, 1_024] as const;

/** The lines of the picture. Each submitter serves four workers. */
const LINES = [
  { name: "reads, 1 stream", color: "#1d4ed8", costs: PACKED, tool: 0, perStream: Infinity },
  {
    name: "reads, 1 stream for 64 workers",
    color: "#60a5fa",
    costs: PACKED,
    tool: 0,
    perStream: 64,
  },
  {
    name: "programs of 50 ms, 1 stream",
    color: "#b45309",
    costs: ALONE,
    tool: 50_000,
    perStream: Infinity,
  },
  {
    name: "programs, 1 stream for 64 workers",
    color: "#f59e0b",
    costs: ALONE,
    tool: 50_000,
    perStream: 64,
  },
] as const;

/** The simulated rates of the picture, by line and by size. */
export function rates(): { name: string; color: string; path: string; rates: number[] }[] {
  return LINES.map(({ name, color, costs: path, tool, perStream }) => ({
    ...{ name, color, path },
    rates: SIZES.map((workers) =>
      simulate({
        ...{ costs: costsOf(path), workers, toolMicros: tool },
        submitters: workers / 4,
        servers: perStream === Infinity ? 1 : Math.ceil(workers / perStream),
        calls: Math.max(10_000, workers * 100),
      })
    ),
  }));
}

/** Draws the rates. Both axes are logarithmic. */
function draw(): string {
  const [left, top, width, height] = [70, 30, 420, 260];
  const x = (at: number) => left + width * at / (SIZES.length - 1);
  const y = (rate: number) => top + height * (1 - (Math.log10(rate) - 1) / 5);
  const parts: string[] = [];
  for (let power = 1; power <= 6; power++) {
    const at = y(10 ** power).toFixed(0);
    parts.push(
      `<path d="M${left} ${at}h${width}" stroke="#ddd"/>`,
      `<text x="${left - 8}" y="${Number(at) + 4}" text-anchor="end">${
        (10 ** power).toLocaleString("en")
      }</text>`,
    );
  }
  for (const [at, size] of SIZES.entries()) {
    const label = `${size.toLocaleString("en")} workers`;
    parts.push(`<text x="${x(at)}" y="${top + height + 20}" text-anchor="middle">${label}</text>`);
  }
  for (const [at, { name, color, rates: all }] of rates().entries()) {
    const points = all.map((rate, size) => `${x(size).toFixed(0)},${y(rate).toFixed(0)}`);
    parts.push(
      `<polyline points="${points.join(" ")}" fill="none" stroke="${color}" stroke-width="2.5"/>`,
      ...points.map((point) => {
        const [cx, cy] = point.split(",");
        return `<circle cx="${cx}" cy="${cy}" r="4" fill="${color}"/>`;
      }),
      `<text x="${left + width + 30}" y="${top + 20 + at * 44}" fill="${color}">${name}</text>`,
      `<text x="${left + width + 30}" y="${top + 38 + at * 44}">${
        all.map((rate) => (Math.round(rate / 10) * 10).toLocaleString("en")).join(" · ")
      }</text>`,
    );
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 330" font-family="sans-serif" font-size="13">
<title>Simulated durable calls a second, by the number of workers</title>
<rect width="780" height="330" fill="#fff"/>
<text x="${left}" y="18">durable calls a second (simulated)</text>
${parts.join("\n")}
</svg>
`;
}

if (import.meta.main) {
  const path = fileURLToPath(new URL("../docs/fleet.svg", import.meta.url));
  const picture = draw();
  if (!Deno.args.includes("--check")) Deno.writeTextFileSync(path, picture);
  else if (Deno.readTextFileSync(path) !== picture) {
    // deno-lint-ignore no-console -- the output of this script
    console.error("docs/fleet.svg is out of date: deno run -A scripts/simulate_fleet.ts");
    Deno.exit(1);
  }
}
