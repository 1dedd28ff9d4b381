/** The file grants of a server after a client has named its roots. */
import { expect } from "@std/expect";
import type { Grants } from "../../../../../src/runner/sandbox/policy/grants.ts";
import { narrowed } from "../../../../../src/runner/sandbox/policy/narrow.ts";

const grants = (given: Partial<Grants>): Grants => ({ all: false, allow: {}, deny: {}, ...given });

Deno.test("narrow > only paths inside the roots remain, and other permissions stay", () => {
  const given = grants({ allow: { read: ["/app", "/data/a"], write: ["/app/b"], run: true } });
  const { allow } = narrowed(given, ["/app/a", "/data", "/other"]);
  expect(allow).toEqual({ read: ["/app/a", "/data/a"], write: [], run: true });
});

Deno.test("narrow > a grant of everything becomes a grant of the roots", () => {
  const { all, allow } = narrowed(grants({ all: true }), ["/app"]);
  expect(all).toBe(false);
  expect(allow).toMatchObject({ read: ["/app"], write: ["/app"], net: true, run: true });
});

Deno.test("narrow > a root that names a protected file does not open it", () => {
  const given = grants({ allow: { read: true, write: ["/app"] } });
  expect(narrowed(given, ["/app/.git/hooks"]).allow.write).toEqual([]);
  const named = grants({ allow: { write: ["/app", "/app/.git/hooks"] } });
  expect(narrowed(named, ["/app/.git/hooks"]).allow.write).toEqual(["/app/.git/hooks"]);
});
