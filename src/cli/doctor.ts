import { findBubblewrap } from "../sandbox/bubblewrap.ts";
import { findProgram } from "../sandbox/programs.ts";
import { isThere } from "../sandbox/paths.ts";
import { helperIn } from "../sandbox/spawn.ts";
import { type Finding, tryWalls } from "../sandbox/try_walls.ts";
import { fileWallVersion, gapsBefore } from "../sandbox/walls.ts";
import { stateFolder } from "../state/state_folder.ts";
import { type Command, type Process, refuseOperands, unknownFormat } from "./command.ts";
import { writeAll } from "./streams.ts";

/** What there is to say of each system. */
interface Examination {
  /** The walls: all of them have to hold. */
  walls: Finding[];
  /** What tools use besides; each tool that needs one that is missing says so itself. */
  others: Finding[];
}

/** How long a program may take to say that it works, in milliseconds. */
const LONGEST_MS = 5_000;

/**
 * `toolcall doctor`: which walls this machine has, by trying them, and what else
 * tools use. The exit code is 0 when every wall holds, else 1. The process is
 * behind the walls afterwards.
 */
export const doctorCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 0);
  const format = line.options.get("format") ?? "text";
  if (format !== "text" && format !== "json") throw unknownFormat(format, ["text", "json"]);
  const { walls, others } = await examine(process, line.options.get("state-dir"));
  const ok = walls.every((wall) => wall.ok);
  const findings = [...walls, ...others];
  await writeAll(
    process.stdout,
    format === "json" ? `${JSON.stringify({ ok, findings })}\n` : table(findings) + advice(ok),
  );
  return ok ? 0 : 1;
};

async function examine(process: Process, stateDir: string | undefined): Promise<Examination> {
  // All else is asked first: there is no way back from behind the walls.
  const others = await programsOf(process);
  const { os } = Deno.build;
  if (os === "linux") others.push(await bubblewrap());
  others.push(await store(stateDir));
  if (os === "darwin") return { walls: [await sandboxExec()], others };
  if (os !== "linux") {
    const detail = `toolcall has none on this system (${os})`;
    return { walls: [{ name: "walls", ok: false, detail }], others };
  }
  const { programFolder } = process;
  const walls = [landlock(), ...await tryWalls({ programFolder, limits: {} })];
  return { walls, others };
}

function landlock(): Finding {
  const version = fileWallVersion();
  const name = "landlock";
  if (version < 1) {
    const detail = "this kernel has none, or not switched on; Linux 5.13 and later may have it";
    return { name, ok: false, detail: `${detail} (boot parameter lsm=landlock,…)` };
  }
  return { name, ok: true, detail: [`version ${version}`, ...gapsBefore(version)].join("; ") };
}

async function sandboxExec(): Promise<Finding> {
  const name = "walls";
  const args = ["-p", "(version 1)(allow default)", "/usr/bin/true"];
  const { ok, said } = await run("/usr/bin/sandbox-exec", args);
  return ok
    ? { name, ok, detail: "sandbox-exec works and is used" }
    : { name, ok, detail: `sandbox-exec is used, and does not work: ${said}` };
}

/** The programs that tools use, each asked for its version. */
function programsOf({ programFolder }: Process): Promise<Finding[]> {
  const install = (name: string) => `not in PATH; install ${name}, or correct PATH`;
  return Promise.all([
    tried("bash", { path: find("bash"), missing: install("bash") }),
    tried("git", { path: find("git"), missing: install("git") }),
    tried("rg", {
      path: helperIn(programFolder, "rg") ?? find("rg"),
      missing: 'not beside this program; build it with "deno task build", or install ripgrep',
    }),
  ]);
}

/** Where state is kept: looked at, and not made. */
async function store(given: string | undefined): Promise<Finding> {
  const name = "state";
  try {
    const folder = stateFolder(given);
    if (!isThere(`${folder}/state.db`)) {
      return { name, ok: true, detail: `${folder}, which is made when a call needs it` };
    }
    const { State } = await import("../state/state.ts");
    new State(folder, "").close();
    return { name, ok: true, detail: folder };
  } catch (error) {
    return { name, ok: false, detail: (error as Error).message };
  }
}

async function bubblewrap(): Promise<Finding> {
  const missing = "not in PATH; not required: install bubblewrap for a wall more";
  const found = await tried("bwrap", { path: find("bwrap"), missing });
  if (!found.ok) return found;
  try {
    await findBubblewrap({ all: false, allow: {}, deny: {} });
    return found;
  } catch (error) {
    return { ...found, ok: false, detail: `not required: ${(error as Error).message}` };
  }
}

function find(program: string): string | undefined {
  return findProgram(program, undefined)?.path;
}

async function tried(
  name: string,
  { path, missing }: { path: string | undefined; missing: string },
): Promise<Finding> {
  if (path === undefined) return { name, ok: false, detail: missing };
  const { ok, said } = await run(path, ["--version"]);
  return { name, ok, detail: ok ? said : `it does not work: ${said}` };
}

/** Runs a program to its end. Tells whether it succeeded, and the first line of what it said. Never throws. */
async function run(path: string, args: string[]): Promise<{ ok: boolean; said: string }> {
  try {
    const signal = AbortSignal.timeout(LONGEST_MS);
    const command = new Deno.Command(path, { args, stdin: "null", signal });
    const { success, code, stdout, stderr } = await command.output();
    const [line = ""] = new TextDecoder().decode(success ? stdout : stderr).trim().split("\n");
    return { ok: success, said: line === "" && !success ? `exit code ${code}` : line };
  } catch (error) {
    return { ok: false, said: (error as Error).message };
  }
}

function table(findings: readonly Finding[]): string {
  const rows = findings.map(({ name, ok, detail }) => [ok ? "ok" : "MISSING", name, detail]);
  const [first, second] = [0, 1].map((at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows.map(([state, name, detail]) =>
    `${state!.padEnd(first!)}  ${name!.padEnd(second!)}  ${detail}\n`
  ).join("");
}

function advice(ok: boolean): string {
  if (ok) return "";
  return "\nNot every wall holds. A tool that starts programs is refused where the walls cannot be\n" +
    "entered; --unconfined-run starts programs without them, under the flags' own check of the call.\n";
}
