/** The row of the first start, which unpacks the executable. */
import { runProgram } from "./processes.ts";
import { atMost, Missing, type Section, type Subject } from "./rows.ts";
import type { Workspace } from "./workspace.ts";

const [FIRST_START, PLAIN] = ["first start (--version)", "gzip -dc | tar x"];

/** A first start, compared with programs that only unpack the same bytes. */
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
        const { program, runtime } = payloadOffsets(executable);
        const unpack = 'gzip -dc | tar xf - -C "$1"';
        const script = `head -c ${runtime - 1} "$0" | tail -c +${program} | ${unpack} &&
          tail -c +${runtime} "$0" | ${unpack}`;
        return intoEmptyDirectory(workspace, (directory) => ({
          command: ["sh", "-c", script, executable, directory],
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

/** The numbers of the first bytes of both compressed archives in an executable, counted from 1. */
function payloadOffsets(executable: string): { program: number; runtime: number } {
  using file = Deno.openSync(executable);
  const bytes = new Uint8Array(65_536);
  file.readSync(bytes);
  const head = new TextDecoder().decode(bytes);
  const offset = (name: string) => Number(head.match(new RegExp(`\\b${name}=(\\d+)`))?.[1]);
  const [program, runtime] = [offset("tc_offset"), offset("tc_runtime_offset")];
  if (!(program < runtime)) throw new Missing("This executable does not unpack itself");
  return { program, runtime };
}
