import { expect } from "@std/expect";
import { Semaphore } from "../../../../src/base/async/semaphore.ts";

const never = new AbortController().signal;

Deno.test("turns > only as many tasks as allowed run at the same time, and the others follow in order", async () => {
  const turns = new Semaphore(2);
  const ends: (() => void)[] = [];
  const begun: number[] = [];
  const work = (number: number) => () => {
    begun.push(number);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const all = [0, 1, 2, 3].map((number) => turns.run(work(number), never));
  expect(begun).toEqual([0, 1]);
  ends[1]!();
  await all[1];
  expect(begun).toEqual([0, 1, 2]);
  ends[0]!();
  ends[2]!();
  await Promise.all([all[0], all[2]]);
  ends[3]!();
  await all[3];
  expect(begun).toEqual([0, 1, 2, 3]);
});

Deno.test("turns > a task that is aborted while it waits leaves the queue", async () => {
  const turns = new Semaphore(1);
  const end = Promise.withResolvers<void>();
  const first = turns.run(() => end.promise, never);
  const stop = new AbortController();
  const second = turns.run(() => Promise.resolve("second"), stop.signal);
  const third = turns.run(() => Promise.resolve("third"), never);
  stop.abort(new Error("Stopped"));
  await expect(second).rejects.toThrow("Stopped");
  end.resolve();
  await first;
  expect(await third).toBe("third");
});

Deno.test("turns > a task that fails passes its turn to the next task", async () => {
  const turns = new Semaphore(1);
  await expect(turns.run(() => Promise.reject(new Error("No")), never)).rejects.toThrow("No");
  expect(await turns.run(() => Promise.resolve(1), never)).toBe(1);
});

Deno.test("turns > a task that exceeds its time gives up its turn and continues", async () => {
  const turns = new Semaphore(1);
  const end = Promise.withResolvers<string>();
  const long = turns.runAtMost(1, () => end.promise, never);
  expect(await turns.runAtMost(60_000, () => Promise.resolve("second"), never)).toBe("second");
  const failing = turns.runAtMost(60_000, () => Promise.reject(new Error("failed")), never);
  await expect(failing).rejects.toThrow("failed");
  end.resolve("first");
  expect(await long).toBe("first");
});
