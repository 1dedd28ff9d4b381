/** The rows of long-lived processes: `toolcall mcp`, and `toolcall submit`. */
import { bashFlags, ECHO, globCall, grepCall, readFlags, smallDirectory } from "./calls.ts";
import { FLOOR } from "./cold_rows.ts";
import { inspectorLoad } from "./inspector.ts";
import type { ToolCall } from "./mcp_requests.ts";
import { timeOf } from "./processes.ts";
import { atLeast, atMost, type Row, type Section, type Subject } from "./rows.ts";
import {
  httpServer,
  loopServer,
  mcpServer,
  rateOf,
  referenceServer,
  type Server,
  submittedRate,
} from "./servers.ts";
import { median } from "./statistics.ts";
import type { Workspace } from "./workspace.ts";

/** The most requests that wait at the same time in a pipelined row. */
const PIPELINED = 50;

/** The number of lines that `toolcall submit` gets in one file. */
const SUBMITTED = 100_000;

/** `Read` by servers, beside the reference server and a plain Node script. */
export function readSection(workspace: Workspace): Section {
  const starts: [string, (workspace: Workspace) => Promise<Server>][] = [
    ["toolcall mcp", mcpServer],
    ["toolcall mcp --http", httpServer],
    ["server-filesystem", referenceServer],
    ["plain Node script", loopServer],
  ];
  const modes = [["one by one", 1, 3_000], ["pipelined", PIPELINED, 5_000]] as const;
  return {
    rounds: 20,
    unmeasured: 2,
    rows: readRows(),
    subjects: {
      ...Object.fromEntries(
        starts.flatMap(([name, start]) =>
          modes.map(([mode, inFlight, count]) => [
            `${name}, ${mode}`,
            () => rateOf(start(workspace), { count, inFlight }),
          ])
        ),
      ),
      "toolcall submit, from a file": () => submittedRate(workspace, SUBMITTED),
      "toolcall mcp, by Inspector": () => inspectorLoad(workspace, "toolcall"),
      "server-filesystem, by Inspector": () => inspectorLoad(workspace, "reference"),
    },
  };
}

function readRows(): Row[] {
  const resident = { group: "resident" } as const;
  const peers = { group: "peers" } as const;
  const rows = ([["", "one by one"], ["-pipelined", "pipelined"]] as const).flatMap((
    [suffix, mode],
  ): Row[] => [
    {
      ...resident,
      name: `read${suffix}`,
      of: `toolcall mcp, ${mode}`,
      to: `server-filesystem, ${mode}`,
      target: atLeast(suffix === "" ? 1.7 : 2),
    },
    {
      ...resident,
      name: `read-http${suffix}`,
      of: `toolcall mcp --http, ${mode}`,
      to: `toolcall mcp, ${mode}`,
      ...suffix === "" && { target: atLeast(0.6) },
    },
    {
      ...peers,
      name: `read-loop${suffix}`,
      of: `toolcall mcp, ${mode}`,
      to: `plain Node script, ${mode}`,
    },
  ]);
  const submit: Row = {
    ...resident,
    name: "submit",
    of: "toolcall submit, from a file",
    to: "toolcall mcp, pipelined",
    target: atLeast(1.5),
  };
  const inspector: Row = {
    ...resident,
    name: "read-inspector",
    of: "toolcall mcp, by Inspector",
    to: "server-filesystem, by Inspector",
    target: atLeast(1.2),
  };
  return [...rows, inspector, submit];
}

/** A tool that a server runs: the name of its row, its target in milliseconds, and the server. */
interface ResidentTool {
  name: string;
  tool: string;
  most: number;
  start(): Promise<Server>;
}

/** Calls of other tools by one server, each compared with the start of a bare program. */
export function toolSection(workspace: Workspace): Section {
  const tools = residentTools(workspace);
  const [oneByOne, inFlight] = ["resident Bash, one by one", "resident Bash, four in flight"];
  const bash = () => mcpServer(workspace, { flags: bashFlags(workspace), call: ECHO });
  return {
    rounds: 20,
    rows: [
      ...tools.map(({ name, tool, most }): Row => ({
        ...{ name: `resident-${name}`, group: "resident" },
        ...{ of: `resident ${tool}`, to: FLOOR },
        target: atMost(most, "ms"),
      })),
      {
        ...{ name: "resident-bash-four", group: "resident" },
        ...{ of: inFlight, to: oneByOne },
        target: atLeast(100, "calls/s"),
      },
    ],
    subjects: {
      [FLOOR]: async () => timeOf({ command: await workspace.floor() }),
      ...Object.fromEntries(
        tools.map(({ tool, start }) => [`resident ${tool}`, () => medianTimeOf(start())]),
      ),
      [oneByOne]: () => rateOf(bash(), { count: 20, inFlight: 1 }),
      [inFlight]: () => rateOf(bash(), { count: 20, inFlight: 4 }),
    },
  };
}

function residentTools(workspace: Workspace): ResidentTool[] {
  const { files, directory } = workspace;
  const server = (flags: readonly string[], name: string, args: ToolCall["arguments"]) =>
    mcpServer(workspace, { flags, call: { name, arguments: args } });
  const write = [`--allow-read=${files}`, `--allow-write=${files}`];
  const [written, edited] = [`${files}/written.txt`, `${files}/edited.txt`];
  const todos = [{ content: "Measure", status: "pending", activeForm: "Measuring" }];
  return [
    {
      ...{ name: "bash", tool: "Bash", most: 12 },
      start: () => mcpServer(workspace, { flags: bashFlags(workspace), call: ECHO }),
    },
    {
      ...{ name: "grep", tool: "Grep", most: 12 },
      start: () => inSmallDirectory(workspace, grepCall),
    },
    {
      ...{ name: "glob", tool: "Glob", most: 12 },
      start: () => inSmallDirectory(workspace, globCall),
    },
    {
      ...{ name: "write", tool: "Write", most: 2 },
      start: () => server(write, "Write", { file_path: written, content: "text\n" }),
    },
    {
      ...{ name: "edit", tool: "Edit", most: 2 },
      start: () => {
        Deno.writeTextFileSync(edited, "some text\n");
        const change = { file_path: edited, old_string: "text", new_string: "texts" };
        return server(write, "Edit", change);
      },
    },
    {
      ...{ name: "todo", tool: "TodoWrite", most: 2 },
      start: () => server([...write, `--state-dir=${directory}/state`], "TodoWrite", { todos }),
    },
  ];
}

async function inSmallDirectory(
  workspace: Workspace,
  tool: (path: string) => ToolCall,
): Promise<Server> {
  const call = tool(await smallDirectory(workspace));
  return mcpServer(workspace, { flags: readFlags(workspace), call });
}

/**
 * The calls of a run whose median time is measured. A server that was idle takes longer for the first
 * of them, because its threads sleep.
 */
const CALLS = 50;

/** A subject whose figure is the median time of calls that follow one another. */
async function medianTimeOf(starting: Promise<Server>): Promise<Subject> {
  const { client, request } = await starting;
  return {
    unit: "ms",
    async measure() {
      const times: number[] = [];
      for (let call = 0; call < CALLS; call++) {
        times.push(await client.exchange({ count: 1, inFlight: 1, request }));
      }
      return median(times);
    },
    close: () => client.close(),
  };
}
