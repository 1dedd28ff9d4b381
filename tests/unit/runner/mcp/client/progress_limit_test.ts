/** The time limit of a call that reports progress. */
import { expect } from "@std/expect";
import { ProgressLimit } from "../../../../../src/runner/mcp/client/progress_limit.ts";
import { until } from "../../../../support/wait.ts";

Deno.test("ProgressLimit > it ends without progress, and with endless progress", async () => {
  for (const hasProgress of [false, true]) {
    using limit = new ProgressLimit(20);
    const isAborted = () => {
      if (hasProgress) limit.restart();
      return limit.signal.aborted;
    };
    expect([hasProgress, await until(isAborted)]).toEqual([hasProgress, true]);
    expect(limit.signal.reason.name).toBe("TimeoutError");
  }
});
