/** How many turns of the microtask queue to wait for work that waits for nothing else. */
const MAX_MICROTASKS = 1_000;

/** Whether work ends without waiting for anything outside this thread. It may also end by failing. */
export async function settlesWithinMicrotasks(work: Promise<unknown>): Promise<boolean> {
  let hasEnded = false;
  const end = () => void (hasEnded = true);
  work.then(end, end);
  for (let turn = 0; turn < MAX_MICROTASKS && !hasEnded; turn++) await null;
  return hasEnded;
}
