/** The row of the first start, which unpacks the executable. */
import { runProgram } from "./processes.ts";
import { atMost, Missing, type Section, type Subject } from "./rows.ts";
import type { Workspace } from "./workspace.ts";

const [FIRST_START, PLAIN] = ["first start (--version)", "gzip -dc | tar x"];

/** A first start, beside the programs that do nothing but unpack the same bytes. */
export function unpackSection(workspace: Workspace): Section {
  const { executable } = workspace;
  return {
    rounds: 6,
    rows: [{ name: "first-start", group: "cold", of: FIRST_START, to: PLAIN, target: atMost(1.2) }],
    subjects: {
      [FIRST_START]: () =>
        intoEmptyDirectory(workspace, (directory) => ({
          command: [executable, "--version"],
          env: { TOOLCALL_CACHE_DIR: directory },
        })),
      [PLAIN]: () => {
        const unpack = `tail -c +${payloadOffset(executable)} "$0" | gzip -dc | tar xf - -C "$1"`;
        return intoEmptyDirectory(workspace, (directory) => ({
          command: ["sh", "-c", unpack, executable, directory],
        }));
      },
    },
  };
}

function intoEmptyDirectory(
  workspace: Workspace,
  program: (directory: string) => Parameters<typeof runProgram>[0],
): Subject {
  return {
    unit: "ms",
    async measure() {
      const directory = Deno.makeTempDirSync({ dir: workspace.directory, prefix: "unpack-" });
      const duration = await runProgram(program(directory));
      Deno.removeSync(directory, { recursive: true });
      return duration;
    },
  };
}

/** The number of the first compressed byte of an executable, counted from 1. */
function payloadOffset(executable: string): string {
  using file = Deno.openSync(executable);
  const head = new Uint8Array(65_536);
  file.readSync(head);
  const offset = new TextDecoder().decode(head).match(/\btc_offset=(\d+)/)?.[1];
  if (offset === undefined) throw new Missing("This executable does not unpack itself");
  return offset;
}
