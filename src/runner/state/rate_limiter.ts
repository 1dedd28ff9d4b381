import type { RateLimit } from "../registry/define.ts";
import type { Database } from "./database.ts";

/** Limits how many calls of a tool may begin within a time, across processes. */
export class RateLimiter {
  /** Stores the start times in `database`. */
  constructor(readonly database: Database) {}

  /**
   * Records that a call of the tool begins now, unless `calls` calls began within the last
   * `windowMs` milliseconds. Returns undefined if it was recorded, else the time in milliseconds
   * until the next call may begin.
   */
  begin(tool: string, { calls, windowMs }: RateLimit): number | undefined {
    return this.database.step(() => {
      // The time is read within the transaction, because waiting for it takes time.
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

  /** Removes expired entries. Entries in the future are moved to now. */
  #forget(tool: string, now: number): void {
    // The clock was set back. Entries in the future would count until it has caught up.
    this.database.run(
      "UPDATE begun_call SET began = ?, expires = ? + expires - began WHERE tool = ? AND began > ?",
      ...[now, now, tool, now],
    );
    this.database.run("DELETE FROM begun_call WHERE expires <= ?", now);
  }
}
