/** The rows of one call by one start of the executable. */
import {
  bashFlags,
  ECHO,
  globCall,
  grepCall,
  readCall,
  readFlags,
  smallDirectory,
  toolcall,
} from "./calls.ts";
import { startMcpServer } from "./mcp_requests.ts";
import { type Program, timeOf } from "./processes.ts";
import { atMost, type Row, type Section, type Subject, type Target } from "./rows.ts";
import type { State, Workspace } from "./workspace.ts";

/** The name of the subject that cold rows are compared with. */
export const FLOOR = "deno run hello.js";

/** A cold command: its row's name, its subject's name, and its targets in both states. */
interface ColdCommand {
  name: string;
  of: string;
  target?: Target;
  freshTarget?: Target;
  program(workspace: Workspace, state: State): Promise<Program>;
}

/** The cold commands. */
export const COLD_COMMANDS: readonly ColdCommand[] = [
  {
    name: "read-all",
    of: "Read -A",
    target: atMost(1.2),
    freshTarget: atMost(1.15),
    program: async (at, state) => toolcall(at, ["-A"], { call: await readCall(at), state }),
  },
  {
    name: "read-scoped",
    of: "Read, scoped",
    target: atMost(1.3),
    freshTarget: atMost(1.25),
    program: async (at, state) => toolcall(at, readFlags(at), { call: await readCall(at), state }),
  },
  {
    name: "bash-scoped",
    of: "Bash, scoped",
    target: atMost(1.8),
    program: (at, state) => toolcall(at, bashFlags(at), { call: ECHO, state }),
  },
  {
    name: "bash-all",
    of: "Bash -A",
    program: (at, state) => toolcall(at, ["-A"], { call: ECHO, state }),
  },
  {
    name: "bash-unconfined",
    of: "Bash, --unconfined-run",
    program: (at, state) =>
      toolcall(at, [...bashFlags(at), "--unconfined-run"], { call: ECHO, state }),
  },
  {
    name: "grep-scoped",
    of: "Grep of two files, scoped",
    target: atMost(1.9),
    program: async (at, state) =>
      toolcall(at, readFlags(at), { call: grepCall(await smallDirectory(at)), state }),
  },
  {
    name: "grep-all",
    of: "Grep of two files, -A",
    program: async (at, state) =>
      toolcall(at, ["-A"], { call: grepCall(await smallDirectory(at)), state }),
  },
  {
    name: "glob-scoped",
    of: "Glob of two files, scoped",
    target: atMost(1.6),
    program: async (at, state) =>
      toolcall(at, readFlags(at), { call: globCall(await smallDirectory(at)), state }),
  },
  {
    name: "list",
    of: "toolcall list",
    target: atMost(1.6),
    program: (at, state) => toolcall(at, ["list"], { state }),
  },
  {
    name: "describe",
    of: "toolcall describe",
    target: atMost(1.6),
    program: (at, state) => toolcall(at, ["describe", "Read"], { state }),
  },
];

const MCP_START = "toolcall mcp until initialize";

/** Each cold command in daily use and freshly unpacked, and the start of an MCP server. */
export function coldSection(workspace: Workspace): Section {
  const rows = COLD_COMMANDS.flatMap(rowsOf);
  const subjects = COLD_COMMANDS.flatMap(({ of, program }) => [
    [of, async () => timeOf(await program(workspace, "daily"))],
    [`${of}, fresh`, async () => timeOf(await program(workspace, "fresh"))],
  ]);
  return {
    rounds: 60,
    unmeasured: 3,
    rows: [
      ...rows,
      {
        name: "bash-sandbox",
        group: "cold",
        of: "Bash, scoped",
        to: "Bash, --unconfined-run",
      },
      { name: "mcp-start", group: "cold", of: MCP_START, to: FLOOR, target: atMost(2.5) },
    ],
    subjects: {
      [FLOOR]: async () => timeOf({ command: await workspace.floor() }),
      [MCP_START]: () => mcpStart(workspace),
      ...Object.fromEntries(subjects),
    },
  };
}

function rowsOf({ name, of, target, freshTarget = target }: ColdCommand): Row[] {
  const row = { group: "cold", to: FLOOR } as const;
  return [
    { ...row, name, of, ...target && { target } },
    {
      ...row,
      name: `${name}-fresh`,
      of: `${of}, fresh`,
      ...freshTarget && { target: freshTarget },
    },
  ];
}

/** The time from the start of a server to its answer of `initialize`. */
async function mcpStart(workspace: Workspace): Promise<Subject> {
  const program = await toolcall(workspace, ["mcp", ...readFlags(workspace)]);
  return {
    unit: "ms",
    async measure() {
      const start = performance.now();
      const server = await startMcpServer(program);
      const duration = performance.now() - start;
      await server.close();
      return duration;
    },
  };
}
