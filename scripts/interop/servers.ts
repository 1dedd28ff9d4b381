/** The two servers, and the calls with which each cell is measured. */
import { join } from "node:path";
import { installPackages } from "../bench/npm_packages.ts";
import { node } from "../bench/peers.ts";
import { REFERENCE } from "./clients.ts";

/** The cells of a client, in the order of the table. */
export const CELLS = [
  ...[
    "list",
    "call",
    "bad arguments",
    "denied",
    "image",
    "structured content",
    "progress",
  ] as const,
  ...["cancel", "90-second call"] as const,
];

/** The name of a cell. */
export type CellName = typeof CELLS[number];

/** The order of a cell for `run_client.mjs`: its judge, and the data for the judge. */
type Measure = {
  judge: "list" | "call" | "failure" | "image" | "data" | "progress" | "cancel";
  [detail: string]: unknown;
};

/** A server, and the measure of each cell. */
export interface Server {
  command: readonly string[];
  cells: Readonly<Record<CellName, Measure>>;
}

/** A picture of one pixel, as base64. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5" +
  "ErkJggg==";

/** `toolcall mcp` for a directory, to which it writes two files. */
export function toolcallServer(executable: string, directory: string): Server {
  const [notes, dot] = [join(directory, "notes.txt"), join(directory, "dot.png")];
  Deno.writeTextFileSync(notes, "hello there\n");
  Deno.writeFileSync(dot, Uint8Array.fromBase64(PNG));
  const todo = { content: "Measure", status: "pending", activeForm: "Measuring" };
  const bash = (command: string) => ({ tool: "Bash", args: { command, timeout: 120_000 } });
  const read = (file_path: string) => ({ tool: "Read", args: { file_path } });
  return {
    command: [
      ...[executable, "mcp", `--allow-read=${directory}`, `--allow-write=${directory}`],
      ...["--allow-run=bash,sleep", `--state-dir=${join(directory, ".state")}`],
    ],
    cells: {
      list: { judge: "list", names: ["Read", "Bash"] },
      call: { judge: "call", ...read(notes), text: "hello there" },
      "bad arguments": { judge: "failure", tool: "Read", args: {}, text: "file_path" },
      denied: { judge: "failure", ...read("/etc/hostname"), text: "--allow-read=/etc/hostname" },
      image: { judge: "image", ...read(dot) },
      "structured content": {
        ...{ judge: "data", tool: "TodoWrite", args: { todos: [todo] }, key: "pending" },
      },
      progress: { judge: "progress", ...bash("for i in 1 2 3; do echo $i; sleep 1; done") },
      cancel: { judge: "cancel", ...bash("sleep 7; echo late > late.txt"), late: "late.txt" },
      "90-second call": { judge: "call", ...bash("sleep 90; echo done"), text: "done" },
    },
  };
}

/** The reference server, with calls as similar as possible. */
export async function referenceServer(): Promise<Server> {
  const script = "@modelcontextprotocol/server-everything/dist/index.js";
  const work = (duration: number, steps: number) => (
    { tool: "trigger-long-running-operation", args: { duration, steps } }
  );
  return {
    command: [await node(), join(await installPackages([REFERENCE]), script), "stdio"],
    cells: {
      list: { judge: "list", names: ["echo"] },
      call: { judge: "call", tool: "echo", args: { message: "hello there" }, text: "hello there" },
      "bad arguments": { judge: "failure", tool: "echo", args: {}, text: "message" },
      // The reference server has no permissions. This call fails after its arguments were checked.
      denied: {
        judge: "failure",
        tool: "get-resource-reference",
        args: { resourceType: "Text", resourceId: -1 },
        text: "resourceId",
      },
      image: { judge: "image", tool: "get-tiny-image", args: {} },
      "structured content": {
        judge: "data",
        tool: "get-structured-content",
        args: { location: "Chicago" },
        key: "temperature",
      },
      progress: { judge: "progress", ...work(3, 3) },
      cancel: { judge: "cancel", ...work(30, 3) },
      "90-second call": { judge: "call", ...work(90, 9), text: "completed" },
    },
  };
}
