/**
 * The one place where tests wait. A test waits for a state, because a time that is enough on a quiet
 * machine is too short on a busy one. `scripts/lint/waits.ts` refuses other waits in tests.
 */

/** How long a test waits for a state, in milliseconds: far longer than a busy machine needs. */
const MAX_WAIT_MS = 120_000;

/** How long a wait sleeps between two looks at the state, in milliseconds. */
const LOOK_MS = 10;

/**
 * Waits until `isTrue` returns true, and returns true. Returns false when that does not happen
 * within `ms` milliseconds, by default two minutes.
 */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  ms = MAX_WAIT_MS,
): Promise<boolean> {
  for (const end = performance.now() + ms; performance.now() < end;) {
    if (await isTrue()) return true;
    await sleep(LOOK_MS);
  }
  return await isTrue();
}

/**
 * Waits until `read` returns a value other than undefined, and returns it. Throws an `Error` that
 * names `what` when that does not happen within two minutes.
 */
export async function waitFor<T>(
  what: string,
  read: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  let value: T | undefined;
  if (await until(async () => (value = await read()) !== undefined)) return value!;
  throw new Error(`Waited ${MAX_WAIT_MS / 1000} s for ${what}`);
}

/** Reads a file that another process writes. Returns an empty string if the file does not exist yet. */
export function readIfThere(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}

/** Lets the event loop handle what is ready: timers, messages and input that has arrived. */
export function nextTurn(): Promise<void> {
  return sleep(0);
}

/**
 * Waits for a time, for a test that has no state to wait for. `_reason` says why in a sentence. The
 * valid reasons: the time is what the test is about, the moment of a kill is random, or a server of
 * the test is slow on purpose.
 */
export function pause(ms: number, _reason: string): Promise<void> {
  return sleep(ms);
}

/**
 * Kills a process that still runs after two minutes, so that a test which waits for its end fails
 * instead of hanging. Disposing of the result cancels that.
 */
export function killWhenStuck(child: Deno.ChildProcess, ms = MAX_WAIT_MS): Disposable {
  const timer = setTimeout(() => {
    try {
      child.kill("SIGKILL");
    } catch { /* It has just ended. */ }
  }, ms);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
