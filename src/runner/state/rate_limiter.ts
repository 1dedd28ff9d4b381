import type { RateLimit } from "../registry/define.ts";
import type { Database } from "./database.ts";

/** The calls of tools that have a rate limit: when each began, for as long as it counts. */
export class RateLimiter {
  /** Takes where they are kept. */
  constructor(readonly database: Database) {}

  /**
   * Records that a call of the tool begins now, unless as many as `calls` began within the last
   * `windowMs`; no other process counts meanwhile. Returns `undefined` when it did, else in how
   * many milliseconds the next may begin.
   */
  begin(tool: string, { calls, windowMs }: RateLimit): number | undefined {
    return this.database.step(() => {
      // Within the step: other processes may have counted since it was asked for.
      const now = Date.now();
      this.#forget(tool, now);
      const [oldest] = this.database.rows(
        "SELECT began FROM begun_call WHERE tool = ? AND began > ? ORDER BY began DESC LIMIT 1 OFFSET ?",
        ...[tool, now - windowMs, Math.max(0, calls - 1)],
      );
      if (oldest !== undefined) return Number(oldest["began"]) + windowMs - now;
      if (calls < 1) return windowMs;
      this.database.run(
        "INSERT INTO begun_call (tool, began, expires) VALUES (?, ?, ?)",
        ...[tool, now, now + windowMs],
      );
      return undefined;
    });
  }

  /** Forgets what counts no more. What seems to have begun later than now began now at the latest. */
  #forget(tool: string, now: number): void {
    // The clock went back: as they stand they would count until it has caught up.
    this.database.run(
      "UPDATE begun_call SET began = ?, expires = ? + expires - began WHERE tool = ? AND began > ?",
      ...[now, now, tool, now],
    );
    this.database.run("DELETE FROM begun_call WHERE expires <= ?", now);
  }
}
