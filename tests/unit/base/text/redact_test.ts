import { expect } from "@std/expect";
import {
  redactData,
  redactKey,
  redactKeyInData,
  redactor,
} from "../../../../src/base/text/redact.ts";

Deno.test("redact > a secret is replaced in every spelling, and the rest of the string stays", () => {
  const redact = redactor(["pä ss/wörd&1", 'Bearer "quoted"', "abc"]);
  const rows: [text: string, redacted: string][] = [
    ["it is pä ss/wörd&1.", "it is ***."],
    ["q=p%C3%A4%20ss%2Fw%C3%B6rd%261&r=1", "q=***&r=1"],
    ["q=p%C3%A4+ss%2Fw%C3%B6rd%261&r=1", "q=***&r=1"],
    ["http://host/p%C3%A4%20ss/w%C3%B6rd&1?r=1", "http://host/***?r=1"],
    ['{"a":"Bearer \\"quoted\\""}', '{"a":"***"}'],
    ['only "quoted" here', "only *** here"],
    ["abc is too short", "abc is too short"],
  ];
  for (const [text, redacted] of rows) expect(redact(text)).toBe(redacted);
});

Deno.test("redact > the part of a secret before a character that ends a URL path is not a secret", () => {
  const redact = redactor(["production?x#y", "../../up", "\ud800lone"], { byWord: false });
  expect(redact("production is up")).toBe("production is up");
  expect(redact("production?x#y ../../up \ud800lone")).toBe("*** *** ***");
});

Deno.test("redact > strings in data are redacted, and the field names stay", () => {
  const data = { secret: ["secret", 1, null, { a: "a secret" }], b: true };
  expect(redactData(data, redactor(["secret"])))
    .toEqual({ secret: ["***", 1, null, { a: "a ***" }], b: true });
});

Deno.test("redact > an API key is found in JSON, however its characters are escaped", () => {
  expect(redactKey("k is the key k", "")).toBe("k is the key k");
  const text = '{"a":"\\u006bey-1","b":"c"}';
  expect(redactKeyInData({ text }, "key-1")).toEqual({ text: '{"a":"[the key]","b":"c"}' });
});
