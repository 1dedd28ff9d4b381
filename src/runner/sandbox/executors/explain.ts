import { pathRules } from "../../../base/fs/path_rules.ts";
import { CallError } from "../../../base/errors.ts";
import type { ToolOutput } from "../../../base/content.ts";
import { quote } from "../../../base/text/quote.ts";
import type { Permission } from "../../registry/define.ts";
import { flagWith } from "../policy/scope.ts";
import { CLOSED_TO_TOOLS, type decide } from "../policy/grants.ts";
import {
  isInside,
  isKernelPath,
  isThere,
  isWritable,
  realPathIfAny,
  untrustedLink,
} from "../policy/paths.ts";
import type { NetworkPlan } from "../policy/program_rights.ts";
import type { findProgram } from "../policy/programs.ts";
import type { Job } from "./executor.ts";

/** The length of the end of an output that is searched, and the most refusals that are reported. */
const [MAX_CHARACTERS, MAX_SHOWN] = [20_000, 5];

// Each alternative of these patterns needs a word in `REFUSAL` of programs.ts.
const DENIED =
  /permission denied|operation not permitted|read-only file ?system|device or resource busy|\b(EACCES|EPERM|EROFS|EBUSY)\b|access denied/i;
/** The errors of a read-only mount, and of renaming or removing a mount point. */
const MOUNTED = /read-only file ?system|device or resource busy|\b(EROFS|EBUSY)\b/i;
/** The messages of programs that get no socket, or cannot ask anybody for an address. */
const SOCKET =
  /(\/dev\/(tcp|udp)\/|(^|: )(socket|connect)\b).*(denied|not permitted)|connect (EACCES|EPERM)/i;
const NO_NETWORK =
  /could not resolve|name resolution|name or service not known|getaddrinfo|EAI_AGAIN|ENOTFOUND|network is unreachable|failed to connect/i;
const WRITES =
  /creat|writ|touch|mkdir|remov|delet|unlink|renam|\bmove|\block|append|open for|output file|truncat/i;

/** An access that the sandbox would refuse a program, and that a text reports as refused. */
interface Refusal {
  /** The permission that would be needed, or a part of it. */
  permission: Permission | { name: "net" };
  flag: string;
  text: string;
}

/** The data about the call that a text comes from. */
export interface RefusedCall extends Pick<Job, "grants" | "cwd"> {
  /** The network access of programs. */
  plan: NetworkPlan;
  /** The look-ups of the module that read PATH while this process could still read variables. */
  lookUps: { decide: typeof decide; findProgram: typeof findProgram };
}

/** Adds what the sandbox may have refused. A program may continue after a refused access. */
export function withRefusals(output: string, call: RefusedCall): ToolOutput {
  const refusals = refusalsIn(output, call);
  if (refusals.length === 0) return output;
  return [{ type: "text", text: output }, { type: "text", text: noteOn(refusals) }];
}

/** Adds to a failure what the sandbox may have refused. */
export function withRefusalsOfFailure(failure: CallError, call: RefusedCall): CallError {
  const { code, message, details } = failure;
  const refusals = refusalsIn(message, call);
  if (refusals.length === 0) return failure;
  const perhapsRefused = refusals.map(({ permission, flag }) => ({ ...permission, flag }));
  return new CallError(code, `${message}\n${noteOn(refusals)}`, { ...details, perhapsRefused });
}

/** The refusals as a text for the model. */
function noteOn(refusals: readonly Refusal[]): string {
  const heading = "If the sandbox denied these, the following would allow them:";
  return [heading, ...refusals.map(({ text }) => text)].join("\n- ");
}

/**
 * Finds what the sandbox may have refused, as far as a program's output shows it: a path, a program
 * or the network that a line reports as refused and the flags do not allow. A program can also
 * print such lines by itself.
 */
function refusalsIn(output: string, call: RefusedCall): Refusal[] {
  const found = new Map<string, Refusal>();
  for (const line of output.slice(-MAX_CHARACTERS).split("\n")) {
    const refusals = SOCKET.test(line) || !DENIED.test(line) && NO_NETWORK.test(line)
      ? networkRefusal(call.plan)
      : DENIED.test(line)
      ? pathRefusals(line, call)
      : [];
    for (const refusal of refusals) found.set(refusal.text, refusal);
  }
  return [...found.values()].slice(0, MAX_SHOWN);
}

function networkRefusal({ network, ports, note }: NetworkPlan): Refusal[] {
  if (network === "all") return [];
  const open = network === "none"
    ? "programs have no network access"
    : `programs have TCP to port ${ports.join(", ")} only, so names resolve only by DNS over TCP`;
  const fix = note ?? "needs --allow-net";
  return [{ permission: { name: "net" }, flag: "--allow-net", text: `${open}: ${fix}` }];
}

/** The refusal of the first name in a line. For a script and its interpreter, it returns both. */
function pathRefusals(line: string, call: RefusedCall): Refusal[] {
  const refusals = namesIn(line).flatMap((name) =>
    (MOUNTED.test(line) ? undefined : programRefusal(name, call)) ??
      fileRefusal(name, { ...call, line }) ?? []
  );
  return /bad interpreter/.test(line) ? refusals : refusals.slice(0, 1);
}

/** The names that a line may contain: quoted texts, and the texts before and after the refusal. */
function namesIn(line: string): string[] {
  const quoted = [...line.matchAll(/['"‘“`]([^'"’”`]+)['"’”`]/g)].map((match) => match[1]!);
  const at = line.search(DENIED);
  const parts = line.slice(0, at).replace(/[:\s(]+$/, "").split(/:\s+/).reverse();
  // The first part is the name of the program that prints the line.
  if (parts.length > 1) parts.pop();
  const before = parts.filter((part, index) =>
    !/['"‘“`]/.test(part) && (part.includes("/") || (index === 0 && !/\s/.test(part)))
  );
  const words = `${parts[0]} ${line.slice(at)}`.split(/\s+/)
    .map((word) => word.replace(/[,;:.)]+$/, "")).filter((word) => word.includes("/"));
  return [...quoted, ...before, ...words].filter((name) => name !== "" && name.length < 4096);
}

function programRefusal(name: string, { grants, cwd, lookUps }: RefusedCall): Refusal | undefined {
  const program = lookUps.findProgram(
    pathRules.isPath(name) ? pathRules.resolve(cwd, name) : name,
    undefined,
  );
  if (program === undefined) return undefined;
  const { write } = grants.allow;
  const link = untrustedLink(program.found, write);
  const isPlanted = isWritable(program.path, write);
  const byPath = isPlanted || link !== undefined;
  const command = byPath || name.includes("/") ? program.path : name;
  const allowed = isPlanted
    ? Array.isArray(grants.allow.run) &&
      grants.allow.run.some((each) => pathRules.isAbsolute(each) && isInside(program.path, each))
    : lookUps.decide({ name: "run", command }, grants).granted;
  if (allowed) return undefined;
  const flag = flagWith("--allow-run", command);
  const what = isPlanted || link === undefined ? "it" : `the symlink ${quote(link)}`;
  const why = byPath
    ? `${what} is in a place that a call may write to, so it must be given by its path: `
    : "";
  return {
    permission: { name: "run", command },
    flag,
    text: `start ${quote(command)}: ${why}needs ${flag}`,
  };
}

function fileRefusal(
  name: string,
  { grants, cwd, lookUps, line }: RefusedCall & { line: string },
): Refusal | undefined {
  const given = pathRules.resolve(cwd, name);
  // Inside the sandbox the runtime cannot resolve paths of the kernel's own files.
  const path = isKernelPath(given) ? given : realPathIfAny(given);
  if (path === undefined) return undefined;
  const kinds = WRITES.test(line) || MOUNTED.test(line)
    ? ["write"] as const
    : ["read", "write"] as const;
  for (const kind of kinds) {
    const { granted, flag, denied, why } = lookUps.decide({ name: kind, path }, grants);
    if (granted || why === CLOSED_TO_TOOLS) continue;
    const fix = denied ? `denied by ${flag}` : `needs ${flag}`;
    return { permission: { name: kind, path }, flag, text: `${kind} ${quote(path)}: ${fix}` };
  }
  const missing = Array.isArray(grants.allow.write)
    ? grants.allow.write.find((grant) => isInside(path, grant) && !isThere(grant))
    : undefined;
  if (missing === undefined) return undefined;
  return {
    permission: { name: "write", path: missing },
    flag: flagWith("--allow-write", missing),
    text: `write ${quote(path)}: ${quote(missing)}, which a flag grants, does not exist, and ` +
      `programs cannot create it: create it before the call`,
  };
}
