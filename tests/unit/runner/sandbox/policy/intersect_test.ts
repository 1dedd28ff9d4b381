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

Deno.test("intersect > a directory inside, the same one, and one around it", () => {
  const given = grants({ read: ["/work"], write: ["/work"] });
  const common = (read: string[]) => intersectGrants(given, grants({ read })).allow.read;
  expect(common(["/work/src"])).toEqual(["/work/src"]);
  expect(common(["/work"])).toEqual(["/work"]);
  expect(common(["/"])).toEqual(["/work"]);
  expect(() => common(["/other"])).toThrow("Cannot narrow the permissions to --allow-read=/other");
});

Deno.test("intersect > naming a protected file does not open it", () => {
  const given = grants({ write: ["/work"] });
  for (const path of ["/work/.git/hooks", "/work/.git/hooks/pre-commit", "/work/.vscode"]) {
    expect(decide({ name: "write", path }, given).granted).toBe(false);
    expect(() => intersectGrants(given, grants({ write: [path] })))
      .toThrow(`Cannot narrow the permissions to --allow-write=${path}`);
  }
  const named = grants({ write: ["/work", "/work/.vscode"] });
  const common = intersectGrants(named, grants({ write: ["/work/.vscode"] }));
  expect(decide({ name: "write", path: "/work/.vscode/a.json" }, common).granted).toBe(true);
});

Deno.test("intersect > naming what the worker denies, or its own configuration, does not open it", () => {
  const denied = grants({ read: ["/work"] }, { read: ["/work/secret"] });
  expect(() => intersectGrants(denied, grants({ read: ["/work/secret"] }))).toThrow(
    "Cannot narrow",
  );
  const config = "/work/toolcall.json";
  const given = grants({ write: ["/work"] }, {}, { config });
  expect(() => intersectGrants(given, grants({ write: [config] }))).toThrow("Cannot narrow");
});

Deno.test("intersect > denials of both count, and a caller without allow flags only denies", () => {
  const given = grants({ read: ["/work"] }, { read: ["/work/a"] });
  const common = intersectGrants(given, grants({}, { read: ["/work/b"], net: true }));
  expect(common.allow).toEqual({ read: ["/work"] });
  expect(common.deny).toEqual({ read: ["/work/a", "/work/b"], net: true });
});

Deno.test("intersect > a bare --allow-net does not let a caller name a private host", () => {
  const given = grants({ net: true });
  expect(() => intersectGrants(given, grants({ net: ["127.0.0.1:80"] }))).toThrow("Cannot narrow");
  expect(intersectGrants(given, grants({ net: true })).allow.net).toBe(true);
});
