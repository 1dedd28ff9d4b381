/** The rows of memory and processor time, which `/proc` reports on Linux. */
import { readCall, toolcall } from "./calls.ts";
import { COLD_COMMANDS, FLOOR } from "./cold_rows.ts";
import { memoryOfTree, peakOf, processorTimeOf, requireProc } from "./processes.ts";
import { atMost, type Section, type Subject } from "./rows.ts";
import { mcpServer, referenceServer, type Server, submitServer } from "./servers.ts";
import type { Workspace } from "./workspace.ts";

const [READS, MANY, MANY_LARGE] = [2_000, 100_000, 1_000_000];
/** The calls after which all parts of a process are in use: `submit` starts a thread meanwhile. */
const FEW = { mcp: 1_000, submit: 10_000 } as const;
const IN_FLIGHT = 50;

/** The peak memory of cold calls. */
export function peakSection(workspace: Workspace): Section {
  const { program } = COLD_COMMANDS.find(({ name }) => name === "read-scoped")!;
  const row = { group: "memory", to: `peak of ${FLOOR}` } as const;
  return {
    rounds: 20,
    rows: [
      { ...row, name: "memory-read-scoped", of: "peak of Read, scoped", target: atMost(1.5) },
      { ...row, name: "memory-read-all", of: "peak of Read -A" },
    ],
    subjects: {
      [row.to]: async () => peakOf({ command: await workspace.floor() }),
      "peak of Read, scoped": async () => peakOf(await program(workspace, "daily")),
      "peak of Read -A": async () =>
        peakOf(await toolcall(workspace, ["-A"], { call: await readCall(workspace) })),
    },
  };
}

/** The memory and the processor time of servers. */
export function serverMemorySection(workspace: Workspace): Section {
  const after = (name: string) => `${name} after ${READS.toLocaleString("en")} reads`;
  const perCall = (name: string) => `processor time of ${name}`;
  return {
    rounds: 6,
    unmeasured: 0,
    rows: [
      {
        name: "memory-server",
        group: "memory",
        of: after("toolcall mcp"),
        to: after("server-filesystem"),
        target: atMost(140, "MiB"),
      },
      {
        name: "processor-time",
        group: "resident",
        of: perCall("toolcall mcp"),
        to: perCall("server-filesystem"),
      },
    ],
    subjects: {
      [after("toolcall mcp")]: () => memoryAfter(() => mcpServer(workspace)),
      [after("server-filesystem")]: () => memoryAfter(() => referenceServer(workspace)),
      [perCall("toolcall mcp")]: () => timePerCall(mcpServer(workspace)),
      [perCall("server-filesystem")]: () => timePerCall(referenceServer(workspace)),
    },
  };
}

/** The memory of one process that answers many calls: a million with `isLarge`. */
export function longMemorySection(
  workspace: Workspace,
  { name, isLarge }: { name: "mcp" | "submit"; isLarge: boolean },
): Section {
  const many = isLarge ? MANY_LARGE : MANY;
  const few = FEW[name];
  const [early, late] = [few, many]
    .map((count) => `toolcall ${name} after ${count.toLocaleString("en")} calls`) as [
      string,
      string,
    ];
  const start = name === "mcp" ? mcpServer : submitServer;
  // Both figures of a round come from one process, which the first request for a figure starts.
  const waiting: Record<string, number[]> = { [early]: [], [late]: [] };
  const subject = (name: string) => (): Subject => {
    requireProc();
    return {
      unit: "MiB",
      async measure() {
        if (waiting[name]!.length === 0) {
          const [first, last] = await memoryOverTime(await start(workspace), { few, many });
          waiting[early]!.push(first);
          waiting[late]!.push(last);
        }
        return waiting[name]!.shift()!;
      },
    };
  };
  const row = { group: "memory", of: late, to: early, target: atMost(1.1) } as const;
  return {
    rounds: 2,
    unmeasured: 0,
    rows: [{ ...row, name: `memory-long-${name}` }],
    subjects: { [early]: subject(early), [late]: subject(late) },
  };
}

async function memoryOverTime(
  { client, pid, request }: Server,
  { few, many }: { few: number; many: number },
): Promise<[number, number]> {
  try {
    await client.exchange({ count: few, inFlight: IN_FLIGHT, request });
    const first = memoryOfTree(pid);
    await client.exchange({ count: many - few, inFlight: IN_FLIGHT, request });
    return [first, memoryOfTree(pid)];
  } finally {
    await client.close();
  }
}

/** A subject whose figure is the memory of a new server after pipelined reads. */
function memoryAfter(start: () => Promise<Server>): Subject {
  requireProc();
  return {
    unit: "MiB",
    async measure() {
      const { client, pid, request } = await start();
      try {
        await client.exchange({ count: READS, inFlight: IN_FLIGHT, request });
        return memoryOfTree(pid);
      } finally {
        await client.close();
      }
    },
  };
}

/** A subject whose figure is the processor time that a server spends on a call. */
async function timePerCall(starting: Promise<Server>): Promise<Subject> {
  requireProc();
  const count = 1_000;
  const { client, pid, request } = await starting;
  return {
    unit: "ms",
    async measure() {
      const before = processorTimeOf(pid);
      await client.exchange({ count, inFlight: 1, request });
      return (processorTimeOf(pid) - before) / count;
    },
    close: () => client.close(),
  };
}
