/** The file grants of a server after a client has named its roots. */
import { expect } from "@std/expect";
import type { Grants } from "../../../../../src/runner/sandbox/policy/grants.ts";
import { narrowed } from "../../../../../src/runner/sandbox/policy/narrow.ts";

const grants = (given: Partial<Grants>): Grants => ({ all: false, allow: {}, deny: {}, ...given });

Deno.test("narrow > only the part in the roots remains, and other kinds stay", () => {
  const given = grants({ allow: { read: ["/work", "/data/a"], write: ["/work/b"], run: true } });
  const { allow } = narrowed(given, ["/work/a", "/data", "/other"]);
  expect(allow).toEqual({ read: ["/work/a", "/data/a"], write: [], run: true });
});

Deno.test("narrow > everything becomes the roots", () => {
  const { all, allow } = narrowed(grants({ all: true }), ["/work"]);
  expect(all).toBe(false);
  expect(allow).toMatchObject({ read: ["/work"], write: ["/work"], net: true, run: true });
});

Deno.test("narrow > a root that names a protected file does not open it", () => {
  const given = grants({ allow: { read: true, write: ["/work"] } });
  expect(narrowed(given, ["/work/.git/hooks"]).allow.write).toEqual([]);
  const named = grants({ allow: { write: ["/work", "/work/.git/hooks"] } });
  expect(narrowed(named, ["/work/.git/hooks"]).allow.write).toEqual(["/work/.git/hooks"]);
});
