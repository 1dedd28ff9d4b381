import { CallError, UsageError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import type { CallOptions } from "../../call/call.ts";
import { QuickCalls } from "../../call/quick_calls.ts";
import { CallTally } from "../../remote/call_tally.ts";
import { connectTo } from "../../remote/connection.ts";
import { makeStreams } from "../../remote/streams.ts";
import { serverHosts, watchServers } from "../../remote/server_hosts.ts";
import { versionWarning } from "../../remote/version_warning.ts";
import { runWorker } from "../../remote/worker.ts";
import type { Workspaces } from "../../remote/workspaces.ts";
import { hearByCall } from "../../sandbox/executors/prints.ts";
import { intersectGrants } from "../../sandbox/policy/intersect.ts";
import { protectInstallation } from "../../sandbox/policy/own_paths.ts";
import { usualStateDirectory } from "../../state/state_directory.ts";
import { realGrants } from "../call_options.ts";
import type { Command, CommandLine, Process } from "../command.ts";
import { parseCommandLine } from "../parse_command_line.ts";
import { refuseOperands } from "../operands.ts";
import { countOf, durationOf } from "../flag_numbers.ts";
import { childFlags, type LongLivedOptions, longLivedOptions } from "../long_lived.ts";
import { natsAddress, poolOf, protectNats } from "../remote_flags.ts";
import { writeAll } from "../streams.ts";
import { refuseWorkspaceFlags, workspacesOf } from "../workspace_flags.ts";

/** The times of a worker in milliseconds, if no flag sets them. */
const [DRAIN_MS, LEASE_MS] = [30_000, 30_000];

/** The most calls at the same time, and the most servers that keep a message. */
const [MAX_JOBS, MAX_REPLICAS] = [1_000, 5];

/** `toolcall worker`: answers calls that come over NATS. `worker init` makes the streams. */
export const workerCommand: Command = async (line, operands, process) => {
  const [first, ...rest] = operands;
  if (first === "init") {
    refuseOperands(rest, 0, line);
    return await initialise(line, process);
  }
  refuseOperands(operands, 0, line);
  if (line.options.has("unconfined-run")) {
    throw new UsageError(
      "A worker cannot use --unconfined-run: programs without a sandbox could read the " +
        "credentials of the worker and call tools past its flags",
    );
  }
  refuseWorkspaceFlags(line);
  for (const flag of ["replicas", "lease"]) {
    if (!line.options.has(flag)) continue;
    throw new UsageError(`The flag --${flag} goes with "toolcall worker init"`);
  }
  return await work(line, process);
};

async function initialise(line: CommandLine, process: Process): Promise<number> {
  const connection = await connectTo(natsAddress(line), "toolcall worker init");
  try {
    const pool = poolOf(line);
    await makeStreams(connection, {
      replicas: countOf(line, "replicas", { most: MAX_REPLICAS }) ?? 1,
      leaseMs: durationOf(line, "lease") ?? LEASE_MS,
      pools: [pool],
    });
    const warning = versionWarning(connection);
    if (warning !== undefined) await writeAll(process.stderr, `toolcall: ${warning}\n`);
    await writeAll(process.stderr, `toolcall: the streams and the pool ${quote(pool)} are ready\n`);
  } finally {
    await connection.close();
  }
  return 0;
}

async function work(line: CommandLine, process: Process): Promise<number> {
  const read = await process.callOptions(line);
  const workspaces = await workspacesOf(line, read);
  try {
    return await serve(line, process, { read, ...(workspaces && { workspaces }) });
  } finally {
    await workspaces?.close();
  }
}

async function serve(
  line: CommandLine,
  process: Process,
  { read, workspaces }: { read: CallOptions; workspaces?: Workspaces },
): Promise<number> {
  const address = natsAddress(line);
  const [pool, drainMs] = [poolOf(line), durationOf(line, "drain") ?? DRAIN_MS];
  const jobs = countOf(line, "jobs", { most: MAX_JOBS }) ?? navigator.hardwareConcurrency;
  const health = healthAddress(line);
  const isDurable = line.options.has("durable");
  const worker = `${Deno.hostname().replace(/[^A-Za-z0-9_-]/g, "-").slice(0, 64)}-${
    crypto.randomUUID().slice(0, 8)
  }`;
  const connection = await connectTo(address, `toolcall worker ${worker}`);
  const hosts = await serverHosts(connection, address);
  const grants = protectNats(read.grants, address, hosts);
  const options = longLivedOptions(line, { ...read, grants });
  options.servers.stay();
  const newServer = watchServers(connection, hosts);
  const stop = AbortSignal.any([options.listeners.cancelSignal(), newServer.signal]);
  const quickCalls = new QuickCalls(options, Math.min(jobs, navigator.hardwareConcurrency));
  try {
    const warning = isDurable ? versionWarning(connection) : undefined;
    if (warning !== undefined) await writeAll(process.stderr, `toolcall: ${warning}\n`);
    await runWorker(connection, {
      ...{ options, quickCalls, jobs, tally: new CallTally() },
      isolatePrints: await hearByCall(),
      narrow: (flags, cwd) =>
        narrow(flags, {
          ...{ line, process },
          options: cwd === undefined
            ? options
            : { ...options, cwd, grants: workspaces!.grantsIn(cwd, options.grants) },
        }),
      ...(workspaces && { workspaces }),
    }, {
      ...{ stop, options: { pool, worker, isDurable, drainMs, version: "0.1.0", ...health } },
      warn: (text) => void writeAll(process.stderr, `toolcall: ${text}\n`),
      async onReady(tools) {
        const what = `${tools.length} tools in the pool ${quote(pool)}`;
        await writeAll(process.stderr, `toolcall: worker ${worker} offers ${what}\n`);
      },
    });
  } finally {
    quickCalls.close();
    options.pool.close();
    await options.servers.closeAll();
    await connection.close();
  }
  if (newServer.signal.aborted) throw newServer.signal.reason;
  return 0;
}

/** Returns the permissions that the worker's flags and these flags both grant. */
async function narrow(
  flags: readonly string[],
  { line, options, process }: { line: CommandLine; options: LongLivedOptions; process: Process },
): Promise<Pick<LongLivedOptions, "grants" | "flags">> {
  const wanted = await narrowingFlags(flags, options.cwd);
  const common = intersectGrants(options.grants, wanted);
  const grants = protectInstallation(common, {
    ...process.program,
    state: options.stateDir ?? usualStateDirectory(),
  });
  return { grants, flags: childFlags(grants, line, options) };
}

/** Reads the flags of a caller. Throws `invalid_arguments` for one that is no permission flag. */
async function narrowingFlags(flags: readonly string[], cwd: string) {
  const fail = (why: string) =>
    new CallError("invalid_arguments", `Cannot narrow the permissions: ${why}`, { flags });
  try {
    const { options, positionals, grants } = await parseCommandLine(flags);
    const other = positionals[0] ?? [...options.keys()].find((name) => name !== "allow-all");
    if (other !== undefined) throw fail(`${quote(other, 80)} is not a permission flag`);
    return await realGrants(grants, cwd);
  } catch (error) {
    if (error instanceof CallError) throw error;
    throw fail((error as Error).message);
  }
}

function healthAddress({ options }: CommandLine) {
  const given = options.get("health");
  if (given === undefined) return {};
  const url = URL.parse(`http://${given}`);
  const port = Number(/:(\d{1,5})$/.exec(given)?.[1]);
  if (url === null || !(port > 0)) {
    throw new UsageError(`Invalid --health=${quote(given)}: expected HOST:PORT`);
  }
  return { health: { hostname: url.hostname.replace(/^\[|\]$/g, ""), port } };
}
