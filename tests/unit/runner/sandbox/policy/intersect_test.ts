/** A caller of a worker can restrict the worker's permissions, and never extend them. */
import { expect } from "@std/expect";
import { decide, type Grants } from "../../../../../src/runner/sandbox/policy/grants.ts";
import { intersectGrants } from "../../../../../src/runner/sandbox/policy/intersect.ts";

const grants = (allow: Grants["allow"], deny: Grants["deny"] = {}, more: Partial<Grants> = {}) => ({
  all: false,
  allow,
  deny,
  ...more,
});

Deno.test("intersect > the inner one of two directories remains, and separate directories are an error", () => {
  const given = grants({ read: ["/project"], write: ["/project"] });
  const common = (read: string[]) => intersectGrants(given, grants({ read })).allow.read;
  expect(common(["/project/src"])).toEqual(["/project/src"]);
  expect(common(["/project"])).toEqual(["/project"]);
  expect(common(["/"])).toEqual(["/project"]);
  expect(() => common(["/other"])).toThrow("Cannot narrow the permissions to --allow-read=/other");
});

Deno.test("intersect > a caller that names a protected file does not open it", () => {
  const given = grants({ write: ["/project"] });
  for (
    const path of ["/project/.git/hooks", "/project/.git/hooks/pre-commit", "/project/.vscode"]
  ) {
    expect(decide({ name: "write", path }, given).granted).toBe(false);
    expect(() => intersectGrants(given, grants({ write: [path] })))
      .toThrow(`Cannot narrow the permissions to --allow-write=${path}`);
  }
  const named = grants({ write: ["/project", "/project/.vscode"] });
  const common = intersectGrants(named, grants({ write: ["/project/.vscode"] }));
  expect(decide({ name: "write", path: "/project/.vscode/a.json" }, common).granted).toBe(true);
});

Deno.test("intersect > a caller that names a denied path or the worker's configuration does not open it", () => {
  const denied = grants({ read: ["/project"] }, { read: ["/project/secret"] });
  expect(() => intersectGrants(denied, grants({ read: ["/project/secret"] }))).toThrow(
    "Cannot narrow",
  );
  const config = "/project/toolcall.json";
  const given = grants({ write: ["/project"] }, {}, { config });
  expect(() => intersectGrants(given, grants({ write: [config] }))).toThrow("Cannot narrow");
});

Deno.test("intersect > the denials of both apply, and a caller without allow flags only denies", () => {
  const given = grants({ read: ["/project"] }, { read: ["/project/a"] });
  const common = intersectGrants(given, grants({}, { read: ["/project/b"], net: true }));
  expect(common.allow).toEqual({ read: ["/project"] });
  expect(common.deny).toEqual({ read: ["/project/a", "/project/b"], net: true });
});

Deno.test("intersect > a bare --allow-net does not let a caller name a private host", () => {
  const given = grants({ net: true });
  expect(() => intersectGrants(given, grants({ net: ["127.0.0.1:80"] }))).toThrow("Cannot narrow");
  expect(intersectGrants(given, grants({ net: true })).allow.net).toBe(true);
});
