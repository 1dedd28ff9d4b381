import { outsideEnvironment, programEnvironment } from "../sandbox/executors/environment.ts";
import { findOutsideProgram } from "../sandbox/policy/programs.ts";
import type { Scope } from "../sandbox/policy/scope.ts";
import { helperIn, whyIgnored } from "../sandbox/executors/spawn.ts";
import { quote } from "../../base/text/quote.ts";
import type { Capability, CapabilityPlace } from "./capability.ts";
import type { CapabilityStatus } from "../registry/providers.ts";

/** The time that a program may take to print its version, in milliseconds. */
const TIMEOUT_MS = 5_000;

/** Facts about a program. Any other program is expected to be in a package of its own name. */
interface ProgramFacts {
  purpose?: string;
  package?: string;
  /** Whether it ships with this program. */
  isHelper?: true;
  /** The arguments that make it print its version. */
  version?: readonly string[];
}

const known = new Map<string, ProgramFacts>([
  ["bash", {}],
  ["git", {}],
  ["rg", { purpose: "the engine of searches", package: "ripgrep", isHelper: true }],
  ["bwrap", { purpose: "one more sandbox layer (--wall=bwrap)", package: "bubblewrap" }],
  ["node", { package: "nodejs" }],
  ["npx", { package: "nodejs" }],
  ["uvx", { package: "uv" }],
  ["go", { package: "golang", version: ["version"] }],
]);

/** The exit codes of a shell for a program that cannot be started. */
const NOT_STARTED = [126, 127];

/** A program in PATH. */
export function program(name: string): Capability {
  const { purpose = `the program ${name}` } = known.get(name) ?? {};
  return {
    purpose,
    find: (place) => findProgram(name, place),
    async examine(place) {
      const found = findProgram(name, place);
      return found.ok ? await tryVersion(name, found.detail, place.grants.allow.write) : found;
    },
  };
}

/** How to get a program that is not in PATH. */
export function programAdvice(name: string): string {
  const { package: of = name, isHelper } = known.get(name) ?? {};
  if (!isHelper) return `install ${of}, or correct PATH`;
  return `build this program with "deno task build", which takes ${of} into it`;
}

function findProgram(
  name: string,
  { program: { directory }, grants }: CapabilityPlace,
): CapabilityStatus {
  const { isHelper } = known.get(name) ?? {};
  if (isHelper) {
    const helper = helperIn(directory, name);
    if (helper !== undefined) return { ok: true, detail: helper };
    // Searches never start a program of PATH in its place.
    return { ok: false, detail: "not beside this program", advice: programAdvice(name) };
  }
  const program = findOutsideProgram(name, grants.allow.write);
  if (program === undefined) {
    return { ok: false, detail: "not in PATH", advice: programAdvice(name) };
  }
  if ("path" in program) return { ok: true, detail: program.found };
  const advice = `grant less with --allow-write, or install ${name} elsewhere`;
  return { ok: false, detail: whyIgnored(program), advice };
}

/** Runs the program at `path` to get its version. A program without a version counts as working. */
async function tryVersion(
  name: string,
  path: string,
  writable: Scope | undefined,
): Promise<CapabilityStatus> {
  const { package: of = name, version = ["--version"] } = known.get(name) ?? {};
  const { code, said } = await runBriefly(path, version, writable);
  if (code === 0) return { ok: true, detail: said === "" ? path : said };
  const isStarted = code !== undefined && !NOT_STARTED.includes(code);
  if (!known.has(name) && isStarted) return { ok: true, detail: path };
  const why = said === "" ? `exit code ${code}` : said;
  const detail = `${quote(path, 4096)} does not work: ${why}`;
  return { ok: false, detail, advice: `install ${of} anew, or correct PATH` };
}

/**
 * Runs a program to its end, for at most five seconds. It gets the environment of child processes
 * of calls, without the directories of PATH that calls may write. Returns its exit code, if it has
 * one, and the first line of its output. Never rejects.
 */
export async function runBriefly(
  path: string,
  args: readonly string[],
  writable?: Scope,
): Promise<{ code: number | undefined; said: string }> {
  const late = Promise.withResolvers<never>();
  let child: Deno.ChildProcess | undefined;
  const timer = setTimeout(() => {
    late.reject(new Error(`it did not end within ${TIMEOUT_MS} ms`));
    try {
      child?.kill("SIGKILL");
    } catch { /* It has ended, and what it has started holds its output open. */ }
  }, TIMEOUT_MS);
  try {
    child = new Deno.Command(path, {
      args: [...args],
      ...{ stdin: "null", stdout: "piped", stderr: "piped" },
      clearEnv: true,
      env: outsideEnvironment(programEnvironment({ all: false, allow: {}, deny: {} }), writable),
    }).spawn();
    const ended = child.output();
    ended.catch(() => {});
    const { success, code, signal, stdout, stderr } = await Promise.race([ended, late.promise]);
    if (signal !== null) return { code: undefined, said: `it was ended by ${signal}` };
    const [line = ""] = new TextDecoder().decode(success ? stdout : stderr).trim().split("\n");
    return { code, said: line };
  } catch (error) {
    return { code: undefined, said: (error as Error).message };
  } finally {
    clearTimeout(timer);
  }
}
