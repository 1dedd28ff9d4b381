/** The text that a terminal shows of a program's output in the end. */
import { expect } from "@std/expect";
import { ShownText } from "../../../../src/base/terminal/shown_text.ts";

const bar = Array.from({ length: 100 }, (_, at) => `\r\x1b[2K${at + 1} % ${"=".repeat(at)}`);

const cases: [name: string, output: string, shown: string][] = [
  ["plain lines", "a\n\tb\n\nc", "a\n\tb\n\nc"],
  ["colors", "\x1b[1;31mred\x1b[0m \x1b[38;5;12mblue\x1b[m\n", "red blue\n"],
  ["a title and a link", "\x1b]0;title\x07a \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "a link"],
  ["other sequences", "\x1b(Ba\x1b=\x1b7\x1b[?25lb\x1bPq\x1b\\\x1bMc", "abc"],
  ["a progress bar", `Get\n${bar.join("")}\nDone\n`, `Get\n100 % ${"=".repeat(99)}\nDone\n`],
  ["a shorter text over a longer one", "step 10\rstep 9\n", "step 90\n"],
  ["an erased end of a line", "step 10\rstep 9\x1b[K\n", "step 9\n"],
  ["an erased start of a line", "abc\x1b[2D\x1b[1K\n", " bc\n"],
  ["backspaces", "|\b/\b-\b done\n", " done\n"],
  ["moves within a line", "ab\x1b[3Cc\x1b[1GX\x1b[99Dy\n", "yb   c\n"],
  ["line ends of Windows", "a\r\nb\r\r\n", "a\nb\n"],
  ["a line that only ends with a return", "a\nb\r", "a\nb"],
  ["half of a character", "\u{1f680}\rx\n", "x\n"],
  ["a lone escape", "a\x1b\x01b\n", "a\x01b\n"],
  ["a sequence without an end", "a\x1b[31", "a"],
];

function shownText(output: string): string {
  const parts = new ShownText();
  return parts.add(output) + parts.end();
}

for (const [name, output, shown] of cases) {
  Deno.test(`ShownText > a terminal shows ${name} in the same way, however the output is divided`, () => {
    expect(shownText(output)).toBe(shown);
    for (const size of [1, 2, 3, 7]) {
      const parts = new ShownText();
      let text = "";
      for (let at = 0; at < output.length; at += size) {
        text += parts.add(output.slice(at, at + size));
      }
      expect(text + parts.end()).toBe(shown);
    }
  });
}

Deno.test("ShownText > a line without end is given in parts, in bounded memory", () => {
  const parts = new ShownText();
  let count = 0;
  for (let at = 0; at < 1_000; at++) count += parts.add("x".repeat(1_000)).length;
  expect(count).toBeGreaterThan(980_000);
  expect(count + parts.end().length).toBe(1_000_000);
  expect(shownText(`a\x1b]0;${"x".repeat(5_000)}`)).toMatch(/^a/);
  expect(shownText("\x1b[999999999Ca").length).toBeLessThan(20_000);
});
