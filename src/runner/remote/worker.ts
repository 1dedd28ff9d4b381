/** The life of a worker: it announces itself, answers calls, and ends without losing one. */

import type { NatsConnection } from "@nats-io/nats-core";
import { delay } from "@std/async/delay";
import type { CallOptions } from "../call/call.ts";
import { CoreWorker } from "./core_worker.ts";
import { DurableWorker } from "./durable_worker.ts";
import { withNatsFailures } from "./nats_failures.ts";
import { Replies } from "./replies.ts";
import { isSubjectName } from "./subjects.ts";
import { announceService } from "./service.ts";
import { serveHealth, type WorkerState } from "./health.ts";
import { WorkerCalls, type WorkerContext } from "./worker_calls.ts";
import { WorkspaceListener } from "./workspace_listener.ts";

/** The options of a worker. */
export interface WorkerOptions {
  /** The pool whose calls it answers. */
  pool: string;
  /** Its name, one token. */
  worker: string;
  /** Whether it takes durable calls too. */
  isDurable: boolean;
  /** The time to end running calls after a signal, in milliseconds. */
  drainMs: number;
  /** The version of this program. */
  version: string;
  /** The address for health checks. */
  health?: { hostname: string; port: number };
}

/** The background tasks at the same time for each call at the same time. Many wait most of the time. */
const TASKS_PER_JOB = 4;

/** The time after the drain in which cancelled calls end and are answered, in milliseconds. */
const CANCEL_MS = 5_000;

/** The most durable calls that are taken at once beyond the number that run, to keep workers busy. */
const EXTRA_SLOTS = 14;

/**
 * Answers calls until `stop` is aborted, and then ends: it takes no new call, waits for those that run,
 * cancels the rest after `drainMs`, and ends
 * soon after that in any case. `onReady` gets the tools, and
 * `warn` gets texts for the operator.
 */
export async function runWorker(...given: Parameters<typeof work>): Promise<void> {
  await withNatsFailures(() => work(...given));
}

async function work(
  connection: NatsConnection,
  context: WorkerContext,
  { options, stop, onReady, warn }: {
    options: WorkerOptions;
    stop: AbortSignal;
    onReady(tools: readonly string[]): Promise<void>;
    warn(text: string): void;
  },
): Promise<void> {
  const { pool, worker, version, isDurable, drainMs } = options;
  const calls = new WorkerCalls(context);
  const { tools, background } = await offeredTools(context.options);
  const replies = new Replies(connection, warn);
  const core = new CoreWorker(replies, worker, calls);
  core.listen(pool, tools);
  const { workspaces } = context;
  const inWorkspaces = workspaces && new WorkspaceListener(replies, workspaces, core, tools);
  inWorkspaces?.listen(pool);
  const { registry } = context.options;
  const durable = isDurable
    ? await DurableWorker.start(replies, {
      ...{ pool, worker, calls, registry, background, slots: context.jobs + EXTRA_SLOTS },
      taskSlots: TASKS_PER_JOB * context.jobs,
    })
    : undefined;
  const service = announceService(replies, {
    worker,
    pool,
    version,
    tools,
    ...{ tally: context.tally, jobs: context.jobs, running: () => calls.count },
  });
  const state = (): WorkerState => ({
    isConnected: !connection.isClosed() && !stop.aborted,
    ...{ running: calls.count, jobs: context.jobs, tally: context.tally },
    ...(durable && { lastPull: durable.lastPull }),
  });
  const health = options.health && serveHealth(options.health, state);
  await connection.flush();
  await onReady(tools);
  durable?.begin();
  await until(stop, connection);
  durable?.stop();
  service.stop();
  const drain = async () => {
    await Promise.all([core.stop(), inWorkspaces?.stop()]).catch(() => {});
    await Promise.all([core.untilAnswered(), durable?.untilAnswered()]);
    await connection.drain();
  };
  await endBy(drainMs, { drain, cancel: () => calls.cancelAll(), warn });
  await health?.shutdown();
  await connection.close();
}

/**
 * Resolves when `drain` has ended, and at the latest {@link CANCEL_MS} after `drainMs`. A server that is
 * gone confirms nothing, so the drain could take for ever.
 */
async function endBy(
  drainMs: number,
  { drain, cancel, warn }: {
    drain(): Promise<void>;
    cancel(): void;
    warn(text: string): void;
  },
): Promise<void> {
  const ended = new AbortController();
  const drained = drain().catch(() => {}).finally(() => ended.abort());
  const late = async () => {
    await delay(drainMs, { signal: ended.signal });
    cancel();
    await delay(CANCEL_MS, { signal: ended.signal });
    warn("ended before all results were stored; a durable call goes on at another worker");
  };
  await Promise.race([drained, late().catch(() => drained)]);
}

/** Resolves when the signal is aborted, or when the connection is lost for good. */
function until(stop: AbortSignal, connection: NatsConnection): Promise<unknown> {
  if (stop.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  stop.addEventListener("abort", () => resolve(), { once: true });
  return Promise.race([promise, connection.closed()]);
}

/**
 * Returns the names and aliases of the tools that calls can use under these options, and of those among
 * them that can run in the background. A tool is left out if it asks a person, if all its calls are
 * background tasks, if the flags grant none of the permissions it can need, or if its name cannot be a
 * subject.
 */
async function offeredTools(
  { registry, grants: { all, allow } }: Pick<CallOptions, "registry" | "grants">,
): Promise<{ tools: string[]; background: string[] }> {
  const [tools, background]: string[][] = [[], []];
  for (const entry of registry.entries()) {
    const { metadata } = await entry.load();
    const { permissionKinds: kinds, sideEffect } = metadata;
    // The caller could not find a task that is in the state directory of the worker.
    if (sideEffect === "blocking" || metadata.background === "always") continue;
    const isGranted = all || kinds.length === 0 || kinds.some((kind) => allow[kind] !== undefined);
    if (!isGranted) continue;
    const names = [metadata.name, ...metadata.aliases].filter(isSubjectName);
    tools!.push(...names);
    if (metadata.background === true) background!.push(...names);
  }
  return { tools: tools!, background: background! };
}
