/** The permissions that a page or a client may choose under the flags of the server. */
import { expect } from "@std/expect";
import { underCeiling } from "../../../../../src/runner/sandbox/policy/ceiling.ts";
import type { Grants } from "../../../../../src/runner/sandbox/policy/grants.ts";

const grants = (given: Partial<Grants>): Grants => ({ all: false, allow: {}, deny: {}, ...given });

Deno.test("ceiling > a narrower set is accepted, and the denials of both sets apply", () => {
  const ceiling = grants({ allow: { read: ["/a"], run: true }, deny: { read: ["/a/secret"] } });
  const wanted = grants({ allow: { read: ["/a/b"], run: ["git"] }, deny: { read: ["/a/b/c"] } });
  expect(underCeiling(wanted, ceiling)).toMatchObject({
    all: false,
    allow: { read: ["/a/b"], run: ["git"] },
    deny: { read: ["/a/secret", "/a/b/c"] },
  });
  expect(underCeiling(grants({}), ceiling).allow).toEqual({});
});

Deno.test("ceiling > a denial of everything is not narrowed by a denial of a path", () => {
  const ceiling = grants({ all: true, deny: { write: true } });
  expect(underCeiling(grants({ all: true, deny: { write: ["/a"] } }), ceiling).deny)
    .toEqual({ write: true });
});

const widenings: [name: string, wanted: Partial<Grants>, ceiling: Partial<Grants>, flag: string][] =
  [
    ["everything", { all: true }, { allow: { read: true } }, "--allow-all"],
    ["a kind", { allow: { write: ["/a"] } }, { allow: { read: ["/a"] } }, "--allow-write=/a"],
    ["a whole kind", { allow: { read: true } }, { allow: { read: ["/a"] } }, "--allow-read"],
    ["a parent", { allow: { read: ["/"] } }, { allow: { read: ["/a"] } }, "--allow-read=/"],
    ["a sibling", { allow: { read: ["/ab"] } }, { allow: { read: ["/a"] } }, "--allow-read=/ab"],
    ["a program", { allow: { run: ["git"] } }, { allow: { run: ["bash"] } }, "--allow-run=git"],
    [
      "a private host under public hosts",
      { allow: { net: ["127.0.0.1"] } },
      { allow: { net: true } },
      "--allow-net=127.0.0.1",
    ],
    [
      "a denied path",
      { allow: { read: ["/a/b"] } },
      { allow: { read: ["/a"] }, deny: { read: ["/a/b"] } },
      "--allow-read=/a/b",
    ],
  ];
for (const [name, wanted, ceiling, flag] of widenings) {
  Deno.test(`ceiling > widening by ${name} is refused with its flag`, () => {
    expect(() => underCeiling(grants(wanted), grants(ceiling))).toThrow(`"${flag}"`);
  });
}
