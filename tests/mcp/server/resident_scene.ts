/** A server that keeps processes, and those processes. */
import { temporaryDirectory } from "../../support/executable.ts";
import { Peer } from "../../support/mcp/peer.ts";
import { isAlive, processesWith } from "../../support/processes.ts";

/** A server with a directory that calls may use, and one for temporary files. */
export function scene(more: string[] = ["--allow-run=bash,sleep,chmod,mkdir,ls,setsid,readlink"]) {
  const directory = temporaryDirectory();
  const [inside, tmp] = [`${directory.path}/inside`, `${directory.path}/tmp`];
  for (const path of [inside, tmp]) Deno.mkdirSync(path);
  const state = `--state-dir=${directory.path}/state`;
  const flags = [`--allow-read=${inside}`, `--allow-write=${inside}`, state, ...more];
  const peer = Peer.start(flags, { cwd: inside, env: { TMPDIR: tmp } });
  const call = async (name: string, args: Record<string, unknown>) => {
    const { result } = await peer.call(name, args);
    return { isError: result.isError, text: result.content[0]?.text ?? "" };
  };
  return {
    ...{ inside, tmp, flags, peer, call },
    bash: (command: string, timeout?: number) =>
      call("Bash", { command, ...(timeout !== undefined && { timeout }) }),
    async [Symbol.asyncDispose]() {
      await peer[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
    },
  };
}

/** The processes that the server keeps for later calls. */
export function keptProcesses({ peer }: { peer: Peer }): number[] {
  const { pid } = peer.process;
  const children = Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).trim().split(" ");
  const kept = processesWith("run-programs");
  return children.map(Number).filter((each) => kept.includes(each) && isAlive(each));
}

/** The Workers of the server. Each has a name that no later Worker gets. */
export function workers({ peer }: { peer: Peer }): string[] {
  const directory = `/proc/${peer.process.pid}/task`;
  return [...Deno.readDirSync(directory)]
    .map(({ name }) => Deno.readTextFileSync(`${directory}/${name}/comm`).trim())
    .filter((name) => name.startsWith("worker-"));
}
