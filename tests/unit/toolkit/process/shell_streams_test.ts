import { expect } from "@std/expect";
import { HeadAndTail } from "../../../../src/toolkit/process/head_and_tail.ts";
import { ShellStreams } from "../../../../src/toolkit/process/shell_streams.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const exit = { type: "exit" as const, exit_code: 0 };

/** The outputs of commands whose streams arrive in pieces of `size` bytes. */
function outputs(stdout: string, stderr: string, size: number, limit?: number) {
  const streams = new ShellStreams("\nMARK ", limit);
  for (
    const [text, add] of [
      [stdout, (chunk: Uint8Array) => streams.addOutput(chunk)],
      [stderr, (chunk: Uint8Array) => streams.addErrors(chunk)],
    ] as const
  ) {
    const all = bytes(text);
    for (let at = 0; at < all.length; at += size) add(all.subarray(at, at + size));
  }
  streams.close();
  const count = streams.codes.length + 1;
  const parts = Array.from({ length: count }, (_, index) => streams.outputOf(index, exit));
  return {
    codes: streams.codes,
    parts: parts.map(({ stdout, stderr }) => [stdout, stderr]),
  };
}

Deno.test("shell streams > the marks separate the commands, in pieces of any size", () => {
  const stdout = "first\n\nMARK 0\nzweiter ü\n\nMARK 137\n\nMARK 2\nunfinished";
  const stderr = "\nMARK 0\n\nMARK\nMARK 137\nerr\n\nMARK 2\n";
  for (const size of [1, 2, 3, 7, 1_000]) {
    expect({ size, ...outputs(stdout, stderr, size) }).toEqual({
      size,
      codes: [0, 137, 2],
      parts: [["first\n", ""], ["zweiter ü\n", "\nMARK"], ["", "err\n"], ["unfinished", ""]],
    });
  }
});

Deno.test("shell streams > both streams share one limit, and one stream can use the rest of the other", () => {
  const [long, short] = ["a".repeat(1_000), "b".repeat(30)];
  const of = (stdout: string, stderr: string) => {
    const { parts: [[out, err] = []] } = outputs(stdout, stderr, 100, 200);
    return [out!.length, err!.length];
  };
  expect(of(long, "")[1]).toBe(0);
  expect(of(long, short)[1]).toBe(30);
  expect(of(short, long)[0]).toBe(30);
  for (const [stdout, stderr] of [[long, ""], [long, short], [short, long], [long, long]]) {
    const [out, err] = of(stdout!, stderr!);
    expect(out! + err!).toBeLessThanOrEqual(200);
    expect(out! + err!).toBeGreaterThan(140);
  }
});

Deno.test("head and tail > the text has at most `limit` characters", () => {
  for (const limit of [0, 1, 79, 80, 100, 1_000]) {
    const output = new HeadAndTail(limit);
    for (let at = 0; at < 3_000; at++) output.add(String(at % 10));
    const text = output.text(limit);
    expect(text.length).toBeLessThanOrEqual(limit);
    expect(output.length).toBe(3_000);
    if (limit >= 80) expect(text).toMatch(/^0123456789\d*\n\[\d+ characters omitted\]\n\d*6789$/);
  }
  const short = new HeadAndTail(10);
  short.add("12345");
  short.add("67890");
  expect(short.text(10)).toBe("1234567890");
  expect(short.text(4)).toBe("1234");
});
