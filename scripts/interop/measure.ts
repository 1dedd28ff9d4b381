/** Measures the cells of clients, each in a process of Node. */
import { join } from "node:path";
import { Missing } from "../bench/rows.ts";
import { installPackages } from "../bench/npm_packages.ts";
import { node } from "../bench/peers.ts";
import { environmentFor } from "../bench/processes.ts";
import type { Client } from "./clients.ts";
import { type CellName, CELLS, referenceServer, type Server, toolcallServer } from "./servers.ts";

/**
 * How a cell came out. Green works. Grey fails with the reference server too, so it is the client's
 * own limit. Red fails only with toolcall.
 */
export interface Cell {
  colour: "green" | "grey" | "red";
  /** The fault with toolcall; empty for a green cell. */
  detail: string;
}

/** A row of the table. */
export interface Row {
  client: Client;
  /** The cells, or why the client cannot be measured here. */
  cells: Readonly<Record<CellName, Cell>> | Missing;
}

/** A line of `run_client.mjs`. */
interface Outcome {
  name: CellName;
  ok: boolean;
  detail: string;
}

/** The clients that are measured at the same time, besides the long calls, which only wait. */
const AT_ONCE = Math.max(2, Math.floor(navigator.hardwareConcurrency / 2));

/** The pause between the starts of two long calls, so that they do not all start at once. */
const STAGGER_MS = 1_000;

/** The longest that a process may take, in milliseconds. */
const PROCESS_MS = 480_000;

const LONG: CellName = "90-second call";
const QUICK = CELLS.filter((name) => name !== LONG);
/** The programs for Node, which deno.json excludes: only npm has their packages. */
const sources = new URL("node/", import.meta.url);

/**
 * Measures each client with `executable` and, where a cell fails, with the reference server. Files
 * go below `directory`. The long calls run side by side. `report` gets a line for each client.
 */
export async function measureClients(
  clients: readonly Client[],
  { executable, directory, report }: {
    executable: string;
    directory: string;
    report(line: string): void;
  },
): Promise<Row[]> {
  const reference = await referenceServer();
  const bench = { executable, directory, reference };
  const installed = await Promise.all(clients.map(async (client) => {
    try {
      return { client, modules: await installPackages(client.packages) };
    } catch (error) {
      if (error instanceof Missing) return { client, missing: error };
      throw error;
    }
  }));
  const gate = new Gate(AT_ONCE);
  return await Promise.all(
    installed.map(async ({ client, modules, missing }, place): Promise<Row> => {
      if (missing !== undefined) return { client, cells: missing };
      const one = new Measured(client, { ...bench, modules });
      const [quick, long] = await Promise.all([
        gate.run(() => one.cells(QUICK)),
        one.longCells(2 * place * STAGGER_MS),
      ]);
      const cells = { ...quick, ...long };
      // A busy machine can spoil a measurement, so a red cell is measured once more by itself.
      const red = CELLS.filter((name) => cells[name]!.colour === "red");
      if (red.length > 0) Object.assign(cells, await gate.run(() => one.cells(red)));
      report(
        `${client.title}: ${CELLS.map((name) => `${name} ${cells[name]!.colour}`).join(", ")}`,
      );
      return { client, cells: cells as Record<CellName, Cell> };
    }),
  );
}

/** Limits the number of tasks that run at the same time. */
class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

type Cells = Partial<Record<CellName, Cell>>;

/** A client whose packages are installed. */
class Measured {
  #runs = 0;

  constructor(
    readonly client: Client,
    readonly bench: { executable: string; directory: string; reference: Server; modules: string },
  ) {}

  /** The colours of these cells. Only cells that fail are measured with the reference server too. */
  async cells(names: readonly CellName[]): Promise<Cells> {
    const ours = await this.#run("toolcall", names);
    const failed = names.filter((name) => !ours[name]!.ok);
    return colours(ours, failed.length > 0 ? await this.#run("reference", failed) : {});
  }

  /** The cell of the long call, which is measured with both servers at the same time. */
  async longCells(waitMs: number): Promise<Cells> {
    const [ours, theirs] = await Promise.all([
      wait(waitMs).then(() => this.#run("toolcall", [LONG])),
      wait(waitMs + STAGGER_MS).then(() => this.#run("reference", [LONG])),
    ]);
    return colours(ours, theirs);
  }

  /** Measures cells with one server, in a process of its own. */
  async #run(
    name: "toolcall" | "reference",
    only: readonly CellName[],
  ): Promise<Partial<Record<CellName, Outcome>>> {
    const { executable, directory, reference, modules } = this.bench;
    const place = join(directory, `${this.client.name}-${++this.#runs}`);
    const files = join(place, "files");
    Deno.mkdirSync(files, { recursive: true });
    const server = name === "toolcall" ? toolcallServer(executable, files) : reference;
    const copies = [
      ...["run_client", "tee_server", "scripted_model", "results", "command"],
      this.client.name,
    ];
    // Node looks for packages beside the file that imports them.
    for (const file of copies) {
      const to = file === this.client.name ? "driver" : file;
      Deno.copyFileSync(new URL(`${file}.mjs`, sources), join(place, `${to}.mjs`));
    }
    Deno.symlinkSync(modules, join(place, "node_modules"));
    const env = environmentFor();
    const { PATH = "", HOME = "" } = env;
    const plan = {
      ...{ cells: server.cells, only, directory: files },
      server: {
        command: await node(),
        args: [join(place, "tee_server.mjs"), ...server.command],
        cwd: files,
        env: { PATH, HOME },
      },
    };
    const { stdout, stderr } = await new Deno.Command(await node(), {
      args: ["run_client.mjs", JSON.stringify(plan)],
      ...{ cwd: place, env, clearEnv: true, stdin: "null" },
      signal: AbortSignal.timeout(PROCESS_MS),
    }).output();
    const outcomes = new TextDecoder().decode(stdout).split("\n")
      .filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as Outcome);
    const last = new TextDecoder().decode(stderr).trim().split("\n").at(-1) ?? "";
    const lost = (name: CellName) => ({ name, ok: false, detail: `the client ended: ${last}` });
    return Object.fromEntries(
      only.map((name) => [name, outcomes.find((each) => each.name === name) ?? lost(name)]),
    );
  }
}

function colours(
  ours: Partial<Record<CellName, Outcome>>,
  theirs: Partial<Record<CellName, Outcome>>,
): Cells {
  return Object.fromEntries(
    Object.entries(ours).map(([name, { ok, detail }]): [string, Cell] => {
      const isTheirs = theirs[name as CellName]?.ok === false;
      return [name, { colour: ok ? "green" : isTheirs ? "grey" : "red", detail }];
    }),
  );
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
