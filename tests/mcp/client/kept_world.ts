/** The state of kept servers: their rows in `mcp list`, their processes and their files. */
import { nasty, type World } from "../../support/mcp/client_world.ts";

/** A row of `mcp list`. */
export interface Row {
  server: string;
  state: string;
  pid: number;
  keeperPid: number;
  startedAt: string;
  calls: number;
  idleLeftMs: number | null;
}

/** The rows of servers in `mcp list`. */
export async function rows(place: World): Promise<Row[]> {
  const { stdout } = await place.run(["mcp", "list", "--format=json"]);
  return (JSON.parse(stdout) as Row[]).filter(({ server }) => server !== undefined);
}

/** The rows of the servers that run. */
export async function running(place: World): Promise<Row[]> {
  return (await rows(place)).filter(({ state }) => state === "running");
}

/** The processes that were started so far: two for each server, its own and that of its child. */
export function pids(place: World): number[] {
  return Deno.readTextFileSync(`${place.path}/pids`).trim().split(" ").map(Number);
}

/** The files of the kept servers. Only the files of locks stay, which are empty. */
export function files(place: World): string[] {
  return [...Deno.readDirSync(`${place.path}/state/servers`)].map(({ name }) => name)
    .filter((name) => !/^[0-9a-f]{2}\.lock$/.test(name));
}

/** Calls the tool `echo` of the server. */
export const echo = (place: World, flags = ["--allow-mcp"]) =>
  place.call("mcp__it__echo", { text: "hello" }, flags);

/** The entry of a server that ignores signals and the end of its input. */
export const stubborn = (directory: string) => ({ it: nasty("stubborn", directory) });
