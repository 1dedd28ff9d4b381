/** Tests the sandbox on this machine by trying to get past it. */

import { lookupTable } from "../../base/lookup_table.ts";
import { readOutput } from "../../base/program_output.ts";
import type { ToolDefinition } from "../registry/define.ts";
import type { RegisteredTool } from "../registry/registered_tool.ts";
import type { Scope } from "./policy/scope.ts";
import { noServices } from "./executors/context.ts";
import { MOUNTS_ADVICE } from "./linux/mount_namespace.ts";
import { programsExecutor, type ProgramsOptions } from "./executors/programs.ts";
import { MAX_TRY_MS, type SandboxScene, setSandboxScene } from "./sandbox_scene.ts";

/** The result of one test: of a layer of the sandbox, or of a program. */
export interface Finding {
  /** Its name, one word. */
  name: string;
  /** Whether it restricts as promised, or works. */
  ok: boolean;
  /** The restriction, or the reason for a failure. */
  detail: string;
  /** Advice on how to get a missing part. */
  advice?: string;
  /** Whether calls run without it if the machine does not have it. */
  optional?: true;
}

/** A layer of the sandbox, its promise, and the meaning of each try that gets past it. */
type Layer = readonly [name: string, promise: string, tries: Readonly<Record<string, string>>];

const LAYERS: readonly Layer[] = [
  ["files", "programs read and write only what the flags allow", {
    secret: "a program read a file that no flag allows",
    outside: "a program wrote a file that no flag allows",
    input: "a program wrote a file that it may only read",
  }],
  ["programs", "programs start only what --allow-run allows", {
    system: "a program started another one that no flag allows",
    own: "a program started another one from a directory that it may write to",
  }],
  ["network", "programs have no network access without --allow-net", {
    tcp: "a program made a TCP connection",
    udp: "a program sent a UDP packet",
  }],
  ["sockets", "programs reach no Unix socket, and so no local service", {
    unix: "a Unix socket can be reached",
  }],
  ["signals", "programs signal only their own processes", {
    process: "a program can signal other processes of this user (Linux 6.12 can prevent that)",
    engine: "a program can signal toolcall itself",
  }],
  ["metadata", "programs change mode, owner and times only of files that a flag lets them write", {
    mode: "a program changed the mode of a file that no flag allows",
  }],
  ["protected", "programs cannot write the protected files at the top of what they may write", {
    hook:
      "programs can write protected files that are there, such as .git/hooks, .git/config and " +
      ".vscode, inside what they may write; toolcall check lists them for a call",
  }],
];

/** The layers of read-only mounts, which some machines do not let a user make. */
const MOUNT_LAYERS = ["metadata", "protected"];

/** The tries that must succeed inside the sandbox, and the meaning of each failure. */
const WORKS = lookupTable<string>({
  begin: "bash does not start in the sandbox",
  temporary: "the private TMPDIR cannot be used in the sandbox",
  read: "a directory of --allow-read cannot be read in the sandbox",
  write: "a directory of --allow-write cannot be written in the sandbox",
});

type TryOptions = Omit<ProgramsOptions, "grants" | "sandboxed">;

/**
 * Enters the sandbox in this thread, as a call does, and tries to get past it. Each try is also
 * made outside first: a try that fails there too proves nothing. `writable` is the write grant of
 * the flags. This process cannot be used for anything else afterwards. Never throws.
 */
export async function trySandbox(
  { writable, ...options }: TryOptions & { writable: Scope | undefined },
): Promise<Finding[]> {
  try {
    await using scene = await setSandboxScene(writable);
    const before = await scene.control();
    const after = await insideSandbox(scene, options);
    return [working(after), ...LAYERS.map((layer) => finding(layer, { before, after }))];
  } catch (error) {
    return [
      { name: "sandbox", ok: false, detail: (error as Error).message },
      ...LAYERS.map(([name]) => ({ name, ok: false, detail: "not tried" })),
    ];
  }
}

/** The tries that succeed inside the sandbox. Throws `unavailable` when it cannot be entered. */
async function insideSandbox(scene: SandboxScene, options: TryOptions): Promise<Set<string>> {
  const tool = toolThat(async (_, ctx) => {
    const program = ctx.spawn(scene.bash, scene.args);
    const late = new Promise<never>((_, reject) => {
      const why = new Error(`The tests did not end within ${MAX_TRY_MS} ms`);
      Deno.unrefTimer(setTimeout(() => reject(why), MAX_TRY_MS));
    });
    const ended = Promise.all([readOutput(program.stdout), readOutput(program.stderr)]);
    // The call's keeper ends the remaining processes when this process ends.
    return (await Promise.race([ended, late]))[0];
  });
  const { path: cwd, grants } = scene;
  const executor = programsExecutor(tool, { ...options, grants, sandboxed: true });
  const job = {
    tool: tool.metadata.name,
    args: {},
    cwd,
    paths: {},
    writes: [],
    grants,
    hosts: [],
    background: false,
    isFollowed: false,
  };
  const { signal } = new AbortController();
  return scene.succeeded(await executor.run(job, { signal, serve: noServices }) as string);
}

/** A tool outside of the catalogue. */
function toolThat(run: ToolDefinition["run"]): RegisteredTool {
  const metadata: RegisteredTool["metadata"] = {
    name: "doctor",
    title: "Test the sandbox",
    category: "utility",
    sideEffect: "spawns",
    optionality: "optional",
    usageHint: "",
    examples: [],
    aliases: [],
    requires: ["bash"],
    inputSchema: {},
    permissionKinds: ["read", "write", "run"],
  };
  const permissions = { kinds: metadata.permissionKinds, needs: () => [] };
  return {
    metadata,
    validate: () => true,
    load: () => Promise.resolve({ ...metadata, permissions, run }),
  };
}

function working(after: ReadonlySet<string>): Finding {
  const broken = Object.keys(WORKS).find((name) => !after.has(name));
  return broken === undefined
    ? { name: "sandbox", ok: true, detail: "bash and its private TMPDIR work in the sandbox" }
    : { name: "sandbox", ok: false, detail: WORKS[broken]! };
}

function finding(
  [name, promise, tries]: Layer,
  { before, after }: { before: ReadonlySet<string>; after: ReadonlySet<string> },
): Finding {
  const names = Object.keys(tries);
  const passed = names.filter((each) => after.has(each));
  if (passed.length > 0) {
    const detail = passed.map((each) => tries[each]).join("; ");
    const optional = MOUNT_LAYERS.includes(name) &&
      { optional: true, advice: MOUNTS_ADVICE } as const;
    return { name, ok: false, detail, ...optional };
  }
  if (!after.has("begin")) return { name, ok: false, detail: "not tested: bash did not start" };
  // A try that fails without the sandbox too proves nothing, so it is left out.
  const untried = names.filter((each) => !before.has(each));
  if (untried.length === 0) return { name, ok: true, detail: promise };
  const what = untried.map((each) => tries[each]).join("; ");
  const why = `not tested, because it fails without the sandbox too: ${what}`;
  return untried.length < names.length
    ? { name, ok: true, detail: `${promise} (${why})` }
    : { name, ok: false, detail: why };
}
