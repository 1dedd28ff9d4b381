/** The options of a call with a policy in the configuration. */
import { fileURLToPath } from "node:url";
import type { CallOptions } from "../../../../src/runner/call/call.ts";
import { Servers } from "../../../../src/runner/call/servers.ts";
import type { Policy } from "../../../../src/runner/registry/define.ts";
import { Registry } from "../../../../src/runner/registry/registry.ts";
import { entries } from "../../../../tools/_generated/index.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url)).replace(/\/$/, "");

/** Options that grant everything, in a directory, with one policy for each tool. */
export function settingsIn(directory: string, policy: Policy): CallOptions {
  const grants = { all: true, allow: {}, deny: {} };
  return {
    registry: new Registry(entries),
    grants,
    ...{ cwd: directory, stateDir: `${directory}/state`, session: "", flags: ["-A"] },
    listeners: { cancelSignal: () => new AbortController().signal },
    program: {
      directory: root,
      isBundled: false,
      providers: () => import("../../../../src/toolkit/provider/providers.ts"),
      commands: () => import("../../../../src/toolkit/process/run_command.ts"),
      workerModule: new URL("../../../../worker.ts", import.meta.url).href,
    },
    ...{ unconfinedRun: false, limits: {} },
    policyOf: () => policy,
    servers: new Servers({ root: directory, environment: () => ({}), grants }),
    ask: { screen: Deno.stderr },
  };
}
