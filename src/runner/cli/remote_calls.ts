/** Runs the calls of `call --nats` and `submit --nats` on workers. */

import { CallError, UsageError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { CallOptions, IncomingCall } from "../call/call.ts";
import { type CallResult, failureOf, failureResult } from "../call/failure.ts";
import { connectTo, keyOf } from "../remote/connection.ts";
import type { RemoteOptions } from "../remote/core_failures.ts";
import { CoreRunner } from "../remote/core_runner.ts";
import { DurableRunner } from "../remote/durable_runner.ts";
import { RemoteTasks } from "../remote/remote_tasks.ts";
import { openWorkerList, type WorkerList } from "../remote/list_workers.ts";
import { versionWarning } from "../remote/version_warning.ts";
import { type OpenWorkspace, openWorkspace } from "../remote/open_workspace.ts";
import { nameOf } from "../remote/user_proof.ts";
import type { CallRunner } from "../submit/call_runner.ts";
import { runBatchCommand } from "./batch_commands.ts";
import { callRunner } from "./call_runner.ts";
import { callerTrace } from "./caller_trace.ts";
import type { CommandLine } from "./command.ts";
import { durationOf } from "./flag_numbers.ts";
import { openRemoteTasks } from "./remote_task_source.ts";
import type { TaskSource } from "./task_source.ts";
import {
  narrowFlags,
  natsAddress,
  poolOf,
  refuseDurableWorkspace,
  tokenOf,
} from "./remote_flags.ts";

/** A runner on workers, and how to end it. */
export interface RemoteRunner {
  /** Runs the calls. */
  runner: CallRunner;
  /** The batch. */
  batch: string;
  /** A warning for the user. */
  warning?: string;
  /** Ends the connection. */
  close(): Promise<void>;
}

/**
 * Runs `submit --attach` or `submit --cancel`. It is here so that the bundle has the client of NATS
 * once for all that `call`, `submit` and `ui` do with it.
 */
export async function runBatch(...given: Parameters<typeof runBatchCommand>): Promise<number> {
  return await runBatchCommand(...given);
}

/** Opens the list of workers of `toolcall ui --nats`. */
export async function openWorkers(
  ...given: Parameters<typeof openWorkerList>
): Promise<WorkerList> {
  return await openWorkerList(...given);
}

/** Opens the background tasks of `toolcall tasks --nats`. */
export async function openTaskSource(
  ...given: Parameters<typeof openRemoteTasks>
): Promise<TaskSource> {
  return await openRemoteTasks(...given);
}

/** Executes the calls of one message on workers, one after the other. */
export async function callRemotely(
  calls: readonly IncomingCall[],
  options: CallOptions,
  line: CommandLine,
): Promise<CallResult[]> {
  const signal = options.listeners.cancelSignal();
  const { onProgress } = options.listeners;
  let remote: RemoteRunner;
  try {
    remote = await openRemote(line, options, { isKept: true, ...(onProgress && { onProgress }) });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return calls.map(() => failureResult(failureOf(error)));
  }
  const results: CallResult[] = [];
  try {
    for (const [at, call] of calls.entries()) {
      results.push(await remote.runner.execute(call, signal, at + 1));
    }
  } finally {
    await remote.close();
  }
  return results;
}

/**
 * Connects, and returns what runs calls on workers. The calls `TaskOutput` and `TaskStop` of tasks on
 * workers run here, with these options. With `isKept`, a workspace that was made for the calls stays
 * when they are over. Rejects with `unavailable`.
 */
export async function openRemote(
  line: CommandLine,
  callOptions: CallOptions,
  { onProgress, isKept = false }: Pick<RemoteOptions, "onProgress"> & { isKept?: boolean } = {},
): Promise<RemoteRunner> {
  const { options } = line;
  const [address, narrow] = [natsAddress(line), narrowFlags(line)];
  const [session, deadlineMs] = [options.get("session"), durationOf(line, "deadline")];
  const batch = options.has("batch") ? tokenOf("batch", options.get("batch")!) : newBatch();
  if (options.has("batch")) refuseOld(batch);
  const name = options.get("workspace");
  refuseDurableWorkspace(line);
  const userKey = keyOf(address);
  const key = `${nameOf(userKey)}.${batch}`;
  const remote: RemoteOptions = {
    ...{ pool: poolOf(line), batch: key },
    ...(userKey && { userKey }),
    ...(narrow && { narrow }),
    ...(session !== undefined && { session }),
    ...(deadlineMs !== undefined && { deadlineMs }),
    ...callerTrace(),
    ...(onProgress && { onProgress }),
    ...(name !== undefined && { workspace: { name: tokenOf("workspace", name), isKept } }),
  };
  const connection = await connectTo(address, "toolcall");
  let opened: Promise<RemoteTasks> | undefined;
  const tasks = () => opened ??= RemoteTasks.open(connection, remote);
  const asRunner = (runner: Pick<CallRunner, "execute" | "executeSoon" | "stop">) =>
    callRunner(runner, callOptions, tasks);
  try {
    if (!options.has("durable")) {
      const { workspace } = remote;
      const open = workspace && await openWorkspace(connection, { ...remote, workspace });
      const core = new CoreRunner(connection, remote, tasks, open);
      return { runner: asRunner(core), batch, close: () => closeAll(core, open) };
    }
    const durable = await DurableRunner.open(connection, remote, tasks);
    const warning = versionWarning(connection);
    return {
      ...{ runner: asRunner(durable), batch, close: () => closeAll(durable) },
      ...(warning !== undefined && { warning }),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }

  async function closeAll(runner: { close(): void }, open?: OpenWorkspace): Promise<void> {
    runner.close();
    await open?.end();
    await connection.close();
  }
}

/** The age from which a batch cannot be continued, because its results may be gone. */
const MAX_BATCH_AGE_MS = 24 * 3_600_000;

/** Returns a UUID of version 7, which begins with the time. */
function newBatch(): string {
  const time = Date.now().toString(16).padStart(12, "0");
  const random = crypto.randomUUID();
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}

/** Throws `unavailable` for a batch that this program named more than a day ago. */
function refuseOld(batch: string): void {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/.exec(batch) ?? [];
  if (high === undefined || Date.now() - parseInt(high + low!, 16) < MAX_BATCH_AGE_MS) return;
  const message = `The batch ${quote(batch)} is older than a day: its results are gone, and its ` +
    "calls would run again. Use a new batch";
  throw new CallError("unavailable", message, { batch });
}
