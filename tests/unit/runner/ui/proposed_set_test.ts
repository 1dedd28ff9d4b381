/** The permission set that the page proposes from the needs of calls. */
import { expect } from "@std/expect";
import { mergePaths, proposedSet, usedNeeds } from "../../../../src/runner/ui/page/proposed_set.ts";

Deno.test("proposed set > three files of a directory become the directory", () => {
  expect(mergePaths(["/a/b/1", "/a/b/2", "/a/b/3", "/a/c/1"])).toEqual(["/a/b", "/a/c/1"]);
  expect(mergePaths(["/a/b/1", "/a/b/2"])).toEqual(["/a/b/1", "/a/b/2"]);
});

Deno.test("proposed set > a path inside another one is omitted", () => {
  expect(mergePaths(["/a/b", "/a/b/c/d", "/a/bc"])).toEqual(["/a/b", "/a/bc"]);
});

Deno.test("proposed set > the root and a directory in it are not proposed for their files", () => {
  expect(mergePaths(["/1", "/2", "/3"])).toEqual(["/1", "/2", "/3"]);
  expect(mergePaths(["/etc/1", "/etc/2", "/etc/3"])).toEqual(["/etc/1", "/etc/2", "/etc/3"]);
});

Deno.test("proposed set > needs are grouped by kind, without denied ones", () => {
  const need = { granted: true, denied: false, flag: "" };
  expect(proposedSet([
    { ...need, name: "run", command: "git" },
    { ...need, name: "read", path: "/a/b" },
    { ...need, name: "run", command: "bash" },
    { ...need, name: "read", path: "/secret", denied: true },
  ])).toEqual({ read: ["/a/b"], run: ["bash", "git"] });
});

Deno.test("proposed set > only successful calls count, with the programs that their flags name", () => {
  const need = { granted: true, denied: false, flag: "" };
  const calls = [
    { exit: 0, needs: [{ ...need, name: "read", path: "/a/b" }], flags: ["--allow-run=rm"] },
    { exit: 6, needs: [{ ...need, name: "read", path: "/etc/passwd", granted: false }] },
    { exit: 1, needs: [{ ...need, name: "read", path: "/a/missing" }] },
    {
      exit: 0,
      needs: [{ ...need, name: "run", command: "bash" }],
      flags: ["--allow-run=bash,npm,node", "--deny-run=curl", "--allow-read=/a"],
    },
    { exit: 0 },
  ];
  expect(proposedSet(calls.flatMap(usedNeeds)))
    .toEqual({ read: ["/a/b"], run: ["bash", "node", "npm"] });
});
