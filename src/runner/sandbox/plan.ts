import type { PermissionKind } from "../registry/define.ts";
import type { RegisteredTool, ToolMetadata } from "../registry/registered_tool.ts";
import { type Grants, isUnrestricted } from "./policy/grants.ts";

/** The kinds of permission that a tool has in a call. */
type Kinds = readonly PermissionKind[];

/** The shipped program that the tool may start, if it declares one. */
interface Helping {
  helper?: "rg";
}

/**
 * A plan says where a call runs and what restricts it. Each kind has one executor, except
 * `background_process`: such a call becomes a task.
 */
export type Plan =
  /** The main thread, with every permission. */
  | { executor: "in_process" } & Helping
  /** The main thread, without the other kinds of permission; Landlock restricts its files. */
  | { executor: "sandboxed_in_process"; kinds: Kinds } & Helping
  /**
   * A Worker with the permissions of the flags; with `landlock` the process is restricted too. If the
   * process serves the tool (`isServed`), only the Worker is restricted.
   */
  | { executor: "worker"; kinds: Kinds; landlock: boolean; isServed?: true } & Helping
  /**
   * A Worker that a long-lived process keeps for later calls of the same kind. If it `isOpen`, it has
   * every permission, as the main thread has in a single call.
   */
  | { executor: "pooled_worker"; kinds: Kinds; landlock: boolean; isOpen?: true } & Helping
  /** A Worker that reaches the checked addresses of the call's hosts, and no file of the user's. */
  | { executor: "network_worker" }
  /** The main thread, which starts programs; with `sandboxed` the system restricts all of them. */
  | { executor: "programs"; sandboxed: boolean }
  /** Another process of this program, which answers only this call, by the plan `inside`. */
  | { executor: "subprocess"; inside: Plan }
  /** Another process of this program, which a long-lived process keeps for calls of these flags. */
  | { executor: "kept_process"; inside: Plan }
  /** A shell that stays between calls, whose process follows the plan `inside`. */
  | { executor: "session_shell"; inside: Plan }
  /** Another process of this program, which outlives this one and follows the plan `inside`. */
  | { executor: "background_process"; inside: Plan };

/** A plan that an executor of this process carries out. */
export type ExecutorPlan = Exclude<Plan, { executor: "background_process" }>;

/**
 * A process answers one call, answers many calls at once, starts a background task, or passes a
 * command to the shell of a session. A runner that is embedded in another program cannot restrict
 * the process.
 */
export type Mode = "one_call" | "long_lived" | "background" | "session" | "embedded";

/** The data that a plan depends on, besides the tool. */
interface PlanOptions {
  grants: Grants;
  /** Whether `--unconfined-run` was given. */
  unconfinedRun: boolean;
  /** Whether the program runs from its bundle, and so loads nothing from other directories. */
  isBundled: boolean;
  mode: Mode;
  needsHost: boolean;
  /** Whether the system has Landlock. It matters only where {@link usesLandlock} is true. */
  hasLandlock: boolean;
}

/** The part of a tool's metadata that the plan depends on. */
export type PlannedTool =
  & Pick<
    ToolMetadata,
    "permissionKinds" | "uses" | "bounded" | "simple" | "helper" | "file"
  >
  & Pick<RegisteredTool, "module">;

/**
 * Decides where a call of a tool runs and what restricts it. This is the only place that decides
 * it: the executors, `check`, the audit log and `doctor` all follow this plan.
 */
export function planConfinement(tool: PlannedTool, options: PlanOptions): Plan {
  const { grants, unconfinedRun, mode } = options;
  if (mode === "background" || mode === "session") {
    const inside = planConfinement(tool, { ...options, mode: "one_call" });
    return { executor: mode === "session" ? "session_shell" : "background_process", inside };
  }
  const { permissionKinds } = tool;
  // Only a module can be loaded in another thread. A Worker starts no programs.
  const isHere = tool.module === undefined || permissionKinds.includes("run");
  if (mode === "embedded" && isHere) return { executor: "in_process" };
  // The process of the call speaks to the MCP servers. The tool itself does nothing else.
  if (permissionKinds.includes("mcp")) return { executor: "in_process" };
  if (reachesHost(tool, options)) return { executor: "network_worker" };
  // A call that reads files has no network, so what it reads cannot leave the machine.
  const kinds = permissionKinds.filter((kind) => kind !== "net");
  const isOpen = isUnrestricted(grants);
  const helping: Helping = tool.helper === undefined ? {} : { helper: tool.helper };
  if (mode === "embedded") return { executor: "worker", kinds, landlock: false };
  const landlock = usesLandlock(tool, options) && options.hasLandlock;
  const isOwn = tool.file !== undefined;
  if (mode === "long_lived") {
    const open = isOpen && tool.simple !== true && !isOwn ? { isOpen } as const : {};
    if (tool.uses !== undefined) return { executor: "pooled_worker", kinds, landlock, ...open };
    // A kept Worker would keep what the code of a tools directory did to it.
    const isPooled = !isOwn && !kinds.includes("run") &&
      (isOpen || landlock && endsByItself(tool, kinds));
    if (isPooled) {
      return { executor: "pooled_worker", kinds, landlock: !isOpen, ...open, ...helping };
    }
    // The kernel's restrictions are for good, so this process cannot take them on for a call.
    const inside = planConfinement(tool, { ...options, mode: "one_call" });
    // A process that stays loads modules in its sandbox, where the runtime cannot compile sources.
    const stays = kinds.includes("run") && options.isBundled;
    return { executor: stays ? "kept_process" : "subprocess", inside };
  }
  if (kinds.includes("run")) return { executor: "programs", sandboxed: !isOpen && !unconfinedRun };
  // A plain function, and a tool of a tools directory, get only what they declare under every flag.
  if (isOpen && tool.simple !== true && !isOwn) return { executor: "in_process", ...helping };
  if (landlock && tool.uses !== undefined) {
    return { executor: "worker", kinds, landlock, isServed: true };
  }
  return landlock && endsByItself(tool, kinds)
    ? { executor: "sandboxed_in_process", kinds, ...helping }
    : { executor: "worker", kinds, landlock, ...helping };
}

/**
 * Whether the plan depends on Landlock. The services of the engine for a tool run in the same
 * process, and the sources load packages from other directories. Both need unrestricted files. Only
 * a tool that hands over patches or edits is restricted all the same, in a thread of its own.
 */
export function usesLandlock(
  tool: PlannedTool,
  options: Omit<PlanOptions, "hasLandlock">,
): boolean {
  const { permissionKinds, uses, simple, file } = tool;
  const isOpen = isUnrestricted(options.grants) && file === undefined &&
    (simple !== true || options.mode === "long_lived");
  const isServed = uses !== undefined && uses.every((name) => ["patches", "edits"].includes(name));
  return options.isBundled && (uses === undefined || isServed) && !isOpen &&
    !permissionKinds.some((kind) => kind === "run" || kind === "mcp") &&
    !reachesHost({ permissionKinds }, options);
}

/**
 * Whether the call uses the network: some tools read files in one call and use a host in another.
 */
function reachesHost(
  { permissionKinds }: Pick<PlannedTool, "permissionKinds">,
  { needsHost }: Pick<PlanOptions, "needsHost">,
): boolean {
  return permissionKinds.includes("net") && (needsHost || !permissionKinds.includes("read"));
}

/**
 * Whether calls of the tool end without being stopped, and Landlock restricts all that they use.
 */
function endsByItself({ bounded, helper, file }: PlannedTool, kinds: Kinds): boolean {
  // Nobody has checked what the code of a tools directory says about itself.
  if (file !== undefined) return false;
  // A tool with a helper ends with it, and the helper can always be killed.
  return (bounded === true || helper !== undefined) &&
    kinds.every((kind) => kind === "read" || kind === "write");
}
