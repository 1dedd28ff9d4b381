import { expect } from "@std/expect";
import { addedText } from "../../../../src/runner/cli/remote_task_source.ts";

Deno.test("tasks logs -f > each poll prints only the new output of the task", () => {
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => `line ${from + at}\n`).join("");
  const cases: [before: string, now: string, added: string][] = [
    ["", "", ""],
    ["", "a\n", "a\n"],
    ["a\n", "a\n", ""],
    ["a\n", "a\nb\n", "b\n"],
    // The middle is omitted, and the end of the printed output is still there.
    [lines(0, 500), `${lines(0, 100)}[…]\n${lines(300, 600)}`, lines(500, 600)],
    // The task printed more between two polls than a record contains.
    [
      lines(0, 500),
      `${lines(0, 100)}[…]\n${lines(800, 900)}`,
      `${lines(0, 100)}[…]\n${lines(800, 900)}`,
    ],
  ];
  for (const [before, now, added] of cases) expect(addedText(before, now)).toBe(added);
});
