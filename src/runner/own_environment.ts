import { readVariable } from "../base/environment.ts";

/**
 * The private environment variables between the processes of this program, and between the head of
 * the executable (`scripts/head/`) and the program. Nobody else may set them.
 */
const VARIABLES = {
  /** Set by the head: the path of the executable. */
  executable: "TOOLCALL_EXECUTABLE",
  /** Set by the head: the process for which it has seen that there is no configuration file. */
  noConfiguration: "TOOLCALL_NO_CONFIG",
  /** Set by the head: the process for which it has seen that the code cache has a short log. */
  shortLog: "TOOLCALL_SHORT_LOG",
  /** Set by a process of this program: its child must not outlive it. */
  parent: "TOOLCALL_PARENT",
  /** Set by a process of this program: it has counted the call for the rate limit. */
  countedBy: "TOOLCALL_COUNTED",
  /** Set by a process of this program: it reads progress from the child's output. */
  readsProgress: "TOOLCALL_PROGRESS",
  /** Set by a process of this program: it reads from the child's output what a tool prints. */
  readsPrints: "TOOLCALL_PRINTS",
  /** Set by `try`: the child notes what the runtime refuses a tool of a tools directory. */
  tracesRefusals: "TOOLCALL_TRACE",
  /** Set by `--wall`: the sandbox layer around this process. Every process inside inherits it. */
  wall: "TOOLCALL_WALL",
} as const;

/** The prefix under which the head keeps a variable of the caller that Deno itself would read. */
export const KEPT_PREFIX = "TOOLCALL_ENV_";

/** The name of a private variable in this program. */
export type OwnVariable = keyof typeof VARIABLES;

/** The private variables that no other program inherits. */
export const hiddenVariables: readonly string[] = Object.values(VARIABLES)
  .filter((name) => name !== VARIABLES.wall);

/** The value of a private variable, if it is set. */
export function ownVariable(name: OwnVariable): string | undefined {
  return readVariable(VARIABLES[name]);
}

/** Whether the parent of this process has set a variable to its own process number. */
export function isSetByParent(name: OwnVariable): boolean {
  return ownVariable(name) === String(Deno.ppid);
}

/** An environment in which private variables have these values. */
export function ownEnvironment(
  values: Readonly<Partial<Record<OwnVariable, string>>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [VARIABLES[name as OwnVariable], value]),
  );
}

/** Gives HOME back as the caller left it: the executable's head hides it from the runtime. */
export function restoreHome(): void {
  if (ownVariable("executable") === undefined) return;
  const home = readVariable(`${KEPT_PREFIX}HOME`);
  if (home === undefined) Deno.env.delete("HOME");
  else Deno.env.set("HOME", home);
  Deno.env.delete(`${KEPT_PREFIX}HOME`);
}

/** The variables of OpenTelemetry that name where to export to. */
const ENDPOINTS = ["", "_TRACES", "_METRICS"].map((kind) => `OTEL_EXPORTER_OTLP${kind}_ENDPOINT`);

/**
 * Whether the environment asks for telemetry: `OTEL_DENO` is true, or an endpoint is named, and
 * nothing switches it off.
 */
export function wantsTelemetry(): boolean {
  const [deno, isNamed] = [callersFlag("OTEL_DENO"), ENDPOINTS.some((name) => readVariable(name))];
  return (deno ?? isNamed) && callersFlag("OTEL_SDK_DISABLED") !== true;
}

/** A variable that the head may have put aside, if its value means true or false. */
function callersFlag(name: string): boolean | undefined {
  const value = (readVariable(KEPT_PREFIX + name) ?? readVariable(name))?.toLowerCase();
  if (value === "true" || value === "1") return true;
  return value === "false" || value === "0" ? false : undefined;
}
