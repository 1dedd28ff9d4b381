/** The rows of growth: what a call takes with more tools, larger files, or more jobs. */
import { entries } from "../../tools/_generated/index.ts";
import { addTools, bundledTool } from "../added_tools.ts";
import { readCall, readFlags, toolcall } from "./calls.ts";
import { runProgram, timeOf } from "./processes.ts";
import { atMost, Missing, type Row, type Section } from "./rows.ts";
import { mcpServer, rateOf, submitServer } from "./servers.ts";
import type { Workspace } from "./workspace.ts";

/** A cold `Read -A` of an executable that has many tools, which are copies of one. */
export function toolsSection(workspace: Workspace): Section {
  const counts = [300, 1_000, 3_000];
  const few = `Read -A with ${entries.length} tools`;
  const many = (count: number) => `Read -A with ${count.toLocaleString("en")} tools`;
  return {
    rounds: 30,
    rows: counts.map((count): Row => ({
      name: `tools-${count}`,
      group: "growth",
      of: many(count),
      to: few,
      ...count === 1_000 && { target: atMost(1.1) },
    })),
    subjects: {
      [few]: async () =>
        timeOf(await toolcall(workspace, ["-A"], { call: await readCall(workspace) })),
      ...Object.fromEntries(
        counts.map((count) => [many(count), () => readWithTools(workspace, count)]),
      ),
    },
  };
}

async function readWithTools(workspace: Workspace, count: number) {
  const cache = `${workspace.directory}/tools_${count}`;
  Deno.mkdirSync(cache);
  const code = await bundledTool("tools/_generated/read.ts");
  const names = Array.from({ length: count - entries.length }, (_, at) => `Generated${at}`);
  try {
    const tools = names.map((name) => ({ name, code }));
    await addTools(workspace.executable, { cache, tools });
    workspace.dropUnpacked(cache);
  } catch (error) {
    if (error instanceof Missing) throw error;
    throw new Missing(`Tools cannot be added: ${(error as Error).message}`);
  }
  const call = await readCall(workspace);
  const program = {
    ...await toolcall(workspace, ["-A"], { call }),
    env: { TOOLCALL_CACHE_DIR: cache },
  };
  // A name that the executable does not know would fail.
  await runProgram({ ...program, stdin: JSON.stringify({ ...call, name: names.at(-1) }) });
  return timeOf(program);
}

/** A cold `Read`, scoped, of larger files. It shows the first 2,000 lines of each. */
export function sizesSection(workspace: Workspace): Section {
  const sizes: [label: string, bytes: number][] = [
    ["1 KB", 1_000],
    ["64 KB", 64_000],
    ["1 MB", 1_000_000],
    ["64 MB", 64_000_000],
  ];
  const [least, ...larger] = sizes.map(([label]) => `Read of ${label}`);
  return {
    rounds: 20,
    rows: larger.map((of, at) => ({
      name: `size-${sizes[at + 1]![0].toLowerCase().replace(" ", "-")}`,
      group: "growth",
      of,
      to: least!,
    })),
    subjects: Object.fromEntries(sizes.map(([label, bytes]) => [
      `Read of ${label}`,
      async () => {
        const call = { name: "Read", arguments: { file_path: await workspace.textFile(bytes) } };
        return timeOf(await toolcall(workspace, readFlags(workspace), { call }));
      },
    ])),
  };
}

/** One server with more calls in flight, and `submit` with more jobs. */
export function jobsSection(workspace: Workspace): Section {
  const jobs = [1, 4, 16, 64];
  const inFlight = (count: number) => `toolcall mcp, ${count} in flight`;
  const submitted = (count: number) => `toolcall submit --jobs=${count}`;
  const [, ...more] = jobs;
  return {
    rounds: 10,
    rows: more.flatMap((count): Row[] => [
      { name: `jobs-${count}`, group: "growth", of: inFlight(count), to: inFlight(1) },
      { name: `submit-jobs-${count}`, group: "growth", of: submitted(count), to: submitted(1) },
    ]),
    subjects: Object.fromEntries(jobs.flatMap((count) => [
      [inFlight(count), () => rateOf(mcpServer(workspace), { count: 500, inFlight: count })],
      [
        submitted(count),
        () => rateOf(submitServer(workspace, [`--jobs=${count}`]), { count: 500, inFlight: 64 }),
      ],
    ])),
  };
}
