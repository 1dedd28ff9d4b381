import { expect } from "@std/expect";
import {
  type Mode,
  type Plan,
  planConfinement,
  type PlannedTool,
  usesLandlock,
} from "../../../../src/runner/sandbox/plan.ts";
import type { Grants } from "../../../../src/runner/sandbox/policy/grants.ts";

/** Kinds of tools, with the properties that the plan depends on. */
const tools: Readonly<Record<string, PlannedTool>> = {
  "quick files": { permissionKinds: ["read"], bounded: true },
  "quick writes": { permissionKinds: ["read", "write"], bounded: true },
  "slow files": { permissionKinds: ["read"] },
  "quick files and environment": { permissionKinds: ["read", "env"], bounded: true },
  "files or network": { permissionKinds: ["read", "net"] },
  network: { permissionKinds: ["net"] },
  programs: { permissionKinds: ["read", "write", "run"] },
  "MCP servers": { permissionKinds: ["mcp"] },
  services: { permissionKinds: [], uses: ["store"] },
  "quick files and services": {
    ...{ permissionKinds: ["read", "write"], bounded: true },
    uses: ["edits"],
  },
  "plain function": { permissionKinds: ["read"], simple: true },
};

const all: Grants = { all: true, allow: {}, deny: {} };
const flags: Readonly<Record<string, { grants: Grants; unconfinedRun: boolean }>> = {
  "-A": { grants: all, unconfinedRun: false },
  scoped: { grants: { all: false, allow: { read: ["/w"] }, deny: {} }, unconfinedRun: false },
  "-A with a deny flag": {
    grants: { all: true, allow: {}, deny: { read: ["/secret"] } },
    unconfinedRun: false,
  },
  "scoped with --unconfined-run": {
    grants: { all: false, allow: { run: true }, deny: {} },
    unconfinedRun: true,
  },
};

/** A plan as a string. "+landlock" and "+sandbox" name the restriction, "+open" that none is made. */
function describePlan(plan: Plan): string {
  const { executor } = plan;
  if ("inside" in plan) return `${executor}(${describePlan(plan.inside)})`;
  if ("landlock" in plan && plan.landlock) return `${executor}+landlock`;
  if ("isOpen" in plan) return `${executor}+open`;
  return "sandboxed" in plan && plan.sandboxed ? `${executor}+sandbox` : executor;
}

const inProcess = "in_process";
const landlocked = "sandboxed_in_process";

/** Plans of calls that need no host, with Landlock: tool, flags, one call, long-lived process. */
const table: readonly [tool: string, flags: string, oneCall: string, longLived: string][] = [
  ["quick files", "-A", inProcess, "pooled_worker+open"],
  ["quick files", "scoped", landlocked, "pooled_worker+landlock"],
  ["quick files", "-A with a deny flag", landlocked, "pooled_worker+landlock"],
  ["quick writes", "-A", inProcess, "pooled_worker+open"],
  ["quick writes", "scoped", landlocked, "pooled_worker+landlock"],
  ["slow files", "-A", inProcess, "pooled_worker+open"],
  ["slow files", "scoped", "worker+landlock", "subprocess(worker+landlock)"],
  ["slow files", "-A with a deny flag", "worker+landlock", "subprocess(worker+landlock)"],
  ["quick files and environment", "-A", inProcess, "pooled_worker+open"],
  ["quick files and environment", "scoped", "worker+landlock", "subprocess(worker+landlock)"],
  ["files or network", "-A", inProcess, "pooled_worker+open"],
  ["files or network", "scoped", "worker+landlock", "subprocess(worker+landlock)"],
  ["network", "-A", "network_worker", "network_worker"],
  ["network", "scoped", "network_worker", "network_worker"],
  ["programs", "-A", "programs", "kept_process(programs)"],
  ["programs", "scoped", "programs+sandbox", "kept_process(programs+sandbox)"],
  ["programs", "-A with a deny flag", "programs+sandbox", "kept_process(programs+sandbox)"],
  ["programs", "scoped with --unconfined-run", "programs", "kept_process(programs)"],
  ["MCP servers", "-A", inProcess, inProcess],
  ["MCP servers", "scoped", inProcess, inProcess],
  ["services", "-A", inProcess, "pooled_worker+open"],
  ["services", "scoped", "worker", "pooled_worker"],
  ["quick files and services", "-A", inProcess, "pooled_worker+open"],
  ["quick files and services", "scoped", "worker+landlock", "pooled_worker+landlock"],
  ["quick files and services", "-A with a deny flag", "worker+landlock", "pooled_worker+landlock"],
  ["plain function", "-A", "worker+landlock", "pooled_worker"],
  ["plain function", "scoped", "worker+landlock", "subprocess(worker+landlock)"],
];

function planOf(
  [tool, flag]: readonly [string, string],
  { mode, needsHost = false, hasLandlock = true, isBundled = true }: {
    mode: Mode;
    needsHost?: boolean;
    hasLandlock?: boolean;
    isBundled?: boolean;
  },
): string {
  const options = { ...flags[flag]!, mode, needsHost, isBundled, hasLandlock };
  return describePlan(planConfinement(tools[tool]!, options));
}

for (const [tool, flag, oneCall, longLived] of table) {
  Deno.test(`plan > a tool of the kind "${tool}" under ${flag} has the plans of the table`, () => {
    const kind = [tool, flag] as const;
    expect(planOf(kind, { mode: "one_call" })).toBe(oneCall);
    expect(planOf(kind, { mode: "long_lived" })).toBe(longLived);
    expect(planOf(kind, { mode: "background" })).toBe(`background_process(${oneCall})`);
  });
}

Deno.test("plan > a call that needs a host runs in the network worker under every flag", () => {
  for (const flag of Object.keys(flags)) {
    for (const mode of ["one_call", "long_lived"] as const) {
      for (const tool of ["files or network", "network"]) {
        expect(planOf([tool, flag], { mode, needsHost: true })).toBe("network_worker");
      }
    }
  }
});

Deno.test("plan > a Worker is the only sandbox of file tools without Landlock or from the sources", () => {
  for (const missing of [{ hasLandlock: false }, { isBundled: false }]) {
    for (const tool of ["quick files", "quick writes", "slow files", "plain function"]) {
      const kind = [tool, "scoped"] as const;
      expect(planOf(kind, { mode: "one_call", ...missing })).toBe("worker");
      expect(planOf(kind, { mode: "long_lived", ...missing })).toBe("subprocess(worker)");
    }
  }
});

Deno.test("plan > each call with programs has a separate process when the program runs from the sources", () => {
  expect(planOf(["programs", "scoped"], { mode: "long_lived", isBundled: false }))
    .toBe("subprocess(programs+sandbox)");
});

Deno.test("plan > a call of a tool for files or network never has both", () => {
  for (const flag of Object.keys(flags)) {
    for (
      const [needsHost, mode] of [[true, "one_call"], [false, "one_call"], [false, "long_lived"]]
    ) {
      const plan = planConfinement(tools["files or network"]!, {
        ...flags[flag]!,
        ...{ mode: mode as Mode, needsHost: needsHost as boolean },
        ...{ isBundled: true, hasLandlock: true },
      });
      if ("kinds" in plan) expect(plan.kinds).not.toContain("net");
    }
  }
});

Deno.test("plan > Landlock changes a plan only if usesLandlock returns true", () => {
  for (const tool of Object.values(tools)) {
    for (const flag of Object.values(flags)) {
      for (const mode of ["one_call", "long_lived"] as const) {
        for (const needsHost of [true, false]) {
          const given = { ...flag, mode, needsHost, isBundled: true };
          const [with_, without] = [true, false].map((hasLandlock) =>
            describePlan(planConfinement(tool, { ...given, hasLandlock }))
          );
          expect({ tool, mode, differs: with_ !== without })
            .toEqual({ tool, mode, differs: usesLandlock(tool, given) && with_ !== without });
        }
      }
    }
  }
});
