import { expect } from "@std/expect";
import { type Progress, progressBarText } from "../../../../src/runner/submit/progress_bar.ts";

const begun: Progress = { done: 0, failed: 0, running: 0, bytes: 0, ms: 1_000 };

Deno.test("progress bar > the line shows the finished calls, the rate, the failures and the remaining time", () => {
  const lines: [progress: Partial<Progress>, text: string][] = [
    [{}, "0 done  0/s  0:01"],
    [{ done: 12_345, ms: 5_000 }, "12,345 done  2,469/s  0:05"],
    [{ done: 3, failed: 2, ms: 3_723_000 }, "3 done  0/s  2 failed  1:02:03"],
    [{ done: 7, running: 256 }, "7 done  256 running  7/s  0:01"],
    [{ total: 100 }, "[----------]    0%  0 done  0/s"],
    [{ total: 0 }, "0 done  0/s  0:01"],
    [
      { done: 50, bytes: 50, total: 100, ms: 60_000 },
      "[#####-----]   50%  50 done  1/s  1:00 left",
    ],
    [
      { done: 9_999_999, failed: 99, running: 256, bytes: 999, total: 1_000, ms: 600_000 },
      "[##########]   99%  9,999,999 done  256 running  16,667/s  99 failed  0:01 left",
    ],
    [{ done: 1, running: 1, note: "step 2é" }, "1 done  1 running  1/s  0:01  step 2?"],
    // The file grows while it is read.
    [
      { done: 2, bytes: 200, total: 100 },
      "[##########]  100%  2 done  2/s  0:00 left",
    ],
  ];
  for (const [progress, text] of lines) {
    expect(progressBarText({ ...begun, ...progress })).toBe(text);
    expect(text.length).toBeLessThan(80);
  }
});
