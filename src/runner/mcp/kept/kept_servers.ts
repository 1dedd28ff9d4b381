import { delay } from "@std/async/delay";
import { birthOf } from "../../sandbox/executors/process.ts";
import { signalProcess } from "../../sandbox/executors/spawn.ts";
import { type KeeperRequest, KeptConnection } from "./kept_connection.ts";
import { KeptDirectory, type KeptRecord } from "./kept_directory.ts";

/** The time that a keeper has to answer, in milliseconds. */
const ANSWER_MS = 3_000;
/** The time that calls which connect may take, in milliseconds. */
const LOCK_MS = 10_000;
/** The time that a keeper has to end, in milliseconds; and after TERM. */
const [END_MS, TERM_MS] = [5_000, 1_000];
/** The interval between two looks at a process that ends, in milliseconds. */
const LOOK_MS = 20;

/** A server that runs between calls. */
export interface KeptServer {
  /** Its name. */
  server: string;
  /** Its configuration file. */
  file: string;
  /** Whether the process that keeps it answers. */
  state: "running" | "not responding";
  /** The process of the server; `null` if it is not known. */
  pid: number | null;
  /** The process that keeps it. */
  keeperPid: number;
  /** When it was started, as ISO 8601 text. */
  startedAt: string;
  /** The number of calls that use it. */
  calls: number;
  /** The time after which it ends if no call uses it, in milliseconds; `null` while one does. */
  idleLeftMs: number | null;
}

/** A kept server, and where its files are. */
interface Found {
  kept: KeptServer;
  slot: string;
  record: KeptRecord;
}

/**
 * The servers that run between calls. Removes the files of those whose keeper was killed. Throws
 * `unavailable` if the directory is unsafe.
 */
export async function listKept(stateDir: string | undefined): Promise<KeptServer[]> {
  const directory = KeptDirectory.open(stateDir, { create: false });
  if (directory === undefined) return [];
  return (await findServers(directory)).map(({ kept }) => kept);
}

/**
 * Ends the kept servers that `isChosen` chooses, and returns them. A keeper that does not respond
 * is killed. Throws as {@link listKept} does.
 */
export async function stopKept(
  stateDir: string | undefined,
  isChosen: (kept: KeptServer) => boolean,
): Promise<KeptServer[]> {
  const directory = KeptDirectory.open(stateDir, { create: false });
  if (directory === undefined) return [];
  const chosen = (await findServers(directory)).filter(({ kept }) => isChosen(kept));
  await Promise.all(chosen.map((found) => stopKeeper(directory, found)));
  return chosen.map(({ kept }) => kept);
}

/** Finds the kept servers. The shells of sessions are none: they are background tasks. */
async function findServers(directory: KeptDirectory): Promise<Found[]> {
  return (await find(directory)).filter(({ record }) => record.kind === undefined);
}

async function find(directory: KeptDirectory): Promise<Found[]> {
  const found: Found[] = [];
  for (const slot of directory.slots()) {
    await directory.withLock(slot, { waitMs: LOCK_MS }, async (isLocked) => {
      const record = directory.read(slot);
      const kept = record && await statusOf(directory, record);
      if (kept !== undefined) found.push({ kept, slot, record: record! });
      else if (isLocked) directory.remove(slot);
    });
  }
  return found;
}

/** The state of a kept server; `undefined` if its keeper has gone. */
async function statusOf(
  directory: KeptDirectory,
  record: KeptRecord,
): Promise<KeptServer | undefined> {
  const { server, file, pid: keeperPid } = record;
  const known = { server, file, keeperPid, startedAt: new Date(record.startedAt).toISOString() };
  try {
    const answer = await ask({ directory, record }, "status");
    if (answer === undefined) return undefined;
    const { pid, calls, idleLeftMs } = answer as unknown as KeptServer;
    return { ...known, state: "running", pid, calls, idleLeftMs };
  } catch {
    return { ...known, state: "not responding", pid: null, calls: 0, idleLeftMs: null };
  }
}

async function ask(
  at: { directory: KeptDirectory; record: KeptRecord },
  request: KeeperRequest,
) {
  const session = await KeptConnection.open(at, { request, waitMs: ANSWER_MS });
  session?.connection.close();
  return session?.answer;
}

/** Ends a kept program, and removes its files. A keeper that does not respond is killed. */
export async function stopKeeper(
  directory: KeptDirectory,
  { slot, record }: Pick<Found, "slot" | "record">,
): Promise<void> {
  const isGone = () => birthOf(record.pid) !== record.born;
  const isAsked = await ask({ directory, record }, "stop").then(() => true, () => false);
  if (!await until(isGone, isAsked ? END_MS : 0)) {
    signalProcess(record.pid, "SIGTERM");
    // The shell beside the keeper ends the server, however the keeper ends.
    if (!await until(isGone, TERM_MS)) signalProcess(record.pid, "SIGKILL");
    await until(isGone, TERM_MS);
  }
  await directory.withLock(slot, { waitMs: LOCK_MS }, () => directory.remove(slot, record));
}

async function until(isTrue: () => boolean, ms: number): Promise<boolean> {
  for (const end = performance.now() + ms; performance.now() < end; await delay(LOOK_MS)) {
    if (isTrue()) return true;
  }
  return isTrue();
}
