/** Deadlines of calls over NATS: no clock of one machine is compared with that of another. */
import { headers } from "@nats-io/nats-core";
import { expect } from "@std/expect";
import { headersOf, readRequestHeaders } from "../../../../src/runner/remote/envelope.ts";
import { ServerClock } from "../../../../src/runner/remote/server_clock.ts";

const OPTIONS = { pool: "default", batch: "anyone.b" };

/** A day in milliseconds. */
const DAY_MS = 86_400_000;

Deno.test("deadline > the header has a duration and no time of day", () => {
  const sent = headersOf({ ...OPTIONS, deadlineMs: 5_000 });
  expect(sent?.get("Toolcall-Deadline")).toBe("5000");
});

Deno.test("deadline > the time on the way counts", () => {
  const sent = headersOf({ ...OPTIONS, deadlineMs: 5_000 });
  const left = (ageMs: number) => readRequestHeaders(sent, ageMs).deadline! - performance.now();
  expect(left(0)).toBeGreaterThan(0);
  expect(left(0)).toBeLessThanOrEqual(5_000);
  expect(left(3_000)).toBeLessThanOrEqual(2_000);
  expect(left(DAY_MS)).toBeLessThan(0);
});

Deno.test("deadline > a header that is no duration is refused", () => {
  for (const text of ["-1", "1.5", "soon", "2026-11-26"]) {
    const sent = headers();
    sent.set("Toolcall-Deadline", text);
    expect(() => readRequestHeaders(sent)).toThrow("Toolcall-Deadline; expected milliseconds");
  }
});

Deno.test("deadline > the age of a message comes from the server's clock", async () => {
  for (const skewMs of [-DAY_MS, 0, DAY_MS]) {
    // The clock of this server differs from that of this machine.
    const serverTime = () => new Date(Date.now() + skewMs);
    let writes = 0;
    const ledger = {
      writer: "worker",
      write: () => Promise.resolve(++writes),
      message: () => Promise.resolve({ time: serverTime() }),
    };
    const clock = new ServerClock(
      ledger as unknown as ConstructorParameters<typeof ServerClock>[0],
    );
    const ages = [
      await clock.ageOf(new Date(serverTime().getTime() - 10_000)),
      await clock.ageOf(new Date(serverTime().getTime() - 10_000)),
    ];
    for (const age of ages) {
      expect(age).toBeGreaterThanOrEqual(9_990);
      expect(age).toBeLessThan(60_000);
    }
    // One look at the clock is enough for many calls.
    expect(writes).toBe(1);
  }
});
