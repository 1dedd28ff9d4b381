import { expect } from "@std/expect";
import { interruptionOf } from "../../../../src/base/async/interruption.ts";
import { trimSurrogates, truncate } from "../../../../src/base/text/truncate.ts";
import { decodeUtf8, decodeUtf8Lossy, isUtf8Prefix } from "../../../../src/base/text/utf8.ts";

for (
  const [what, text, limit, expected] of [
    ["a shorter string stays", "abc", 5, "abc"],
    ["a string of that length stays", "abc", 3, "abc"],
    ["a longer string is cut", "abcd", 3, "abc"],
    ["a surrogate pair at the limit is removed", "ab\u{1f600}c", 3, "ab"],
    ["a surrogate pair before the limit stays", "a\u{1f600}c", 3, "a\u{1f600}"],
    ["a lone surrogate of the string itself stays", "ab\ud83d", 3, "ab\ud83d"],
  ] as const
) {
  Deno.test(`truncate > ${what}`, () => {
    expect(truncate(text, limit)).toBe(expected);
  });
}

Deno.test("truncate > half a pair at either end of a cut string is removed", () => {
  const smile = "\u{1f600}";
  expect(trimSurrogates(smile[1] + "abc" + smile[0])).toBe("abc");
  expect(trimSurrogates(smile)).toBe(smile);
});

for (
  const [what, bytes, text, isPrefix] of [
    ["ASCII is decoded", [0x61], "a", true],
    ["a byte order mark stays", [0xef, 0xbb, 0xbf, 0x61], "\ufeffa", true],
    ["a character of two bytes is decoded", [0xc3, 0xa4], "\u00e4", true],
    ["a cut character is a prefix", [0x61, 0xc3], undefined, true],
    ["a wrong byte is invalid", [0xff, 0x61], undefined, false],
    ["a surrogate is invalid", [0xed, 0xa0, 0x80], undefined, false],
  ] as const
) {
  Deno.test(`UTF-8 > ${what}`, () => {
    const given = Uint8Array.from(bytes);
    expect(decodeUtf8(given)).toBe(text);
    expect(isUtf8Prefix(given)).toBe(isPrefix);
    if (text !== undefined) expect(decodeUtf8Lossy(given)).toBe(text);
    else expect(decodeUtf8Lossy(given)).toContain("\ufffd");
  });
}

Deno.test("interruption > the reason of a signal is a time limit or a cancellation", () => {
  expect(interruptionOf(AbortSignal.abort(new DOMException("", "TimeoutError")))).toBe("timeout");
  expect(interruptionOf(AbortSignal.abort())).toBe("cancelled");
  expect(interruptionOf(AbortSignal.abort(undefined))).toBe("cancelled");
});
