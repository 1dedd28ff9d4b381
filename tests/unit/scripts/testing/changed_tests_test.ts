/** `--changed` chooses what a change can break. */
import { expect } from "@std/expect";
import { chooseTests, findChanged } from "../../../../scripts/testing/changed_tests.ts";
import { orderByChange } from "../../../../scripts/testing/order.ts";
import { testFiles } from "../../../../scripts/testing/test_files.ts";

const all = testFiles(["tests", "src"]);
const chosenFor = (...changed: string[]) => chooseTests(changed, all).map(({ file }) => file);

Deno.test("changed tests > a module chooses the unit tests that use it, and the tests that mirror it", () => {
  const rows: [changed: string, has: string[], hasNot: string[]][] = [
    [
      "src/toolkit/calendar/events.ts",
      ["tests/unit/tools/every_tool_test.ts", "tests/executable/tools/calendar_test.ts"],
      ["tests/unit/base/async/semaphore_test.ts", "tests/mcp/server/http_test.ts"],
    ],
    ["src/runner/mcp/server/http.ts", ["tests/mcp/server/http_test.ts"], [
      "tests/mcp/client/oauth_test.ts",
    ]],
    ["tools/_generated/read.ts", ["tests/unit/tools/read_test.ts"], []],
    ["tests/support/tool_context.ts", ["tests/unit/tools/glob_test.ts"], [
      "tests/mcp/server/http_test.ts",
    ]],
    ["tests/mcp/server/http_test.ts", ["tests/mcp/server/http_test.ts"], [
      "tests/mcp/server/server_test.ts",
    ]],
    ["src/runner/shell/shell_task.ts", ["tests/executable/tools/session_shell_test.ts"], []],
    ["docs/tools.md", ["tests/unit/docs_test.ts", "tests/unit/language_test.ts"], [
      "tests/mcp/server/http_test.ts",
    ]],
    ["clients/toolcall.py", ["tests/executable/clients/clients_test.ts"], []],
  ];
  for (const [changed, has, hasNot] of rows) {
    const chosen = chosenFor(changed);
    expect({ changed, missing: has.filter((file) => !chosen.includes(file)) })
      .toEqual({ changed, missing: [] });
    expect({ changed, tooMuch: hasNot.filter((file) => chosen.includes(file)) })
      .toEqual({ changed, tooMuch: [] });
  }
});

Deno.test("changed tests > a change of the dependencies or of the test runner chooses every test", () => {
  for (const changed of ["deno.json", "deno.lock", "links/expect/mod.js", "scripts/test.ts"]) {
    expect([changed, chosenFor(changed).length]).toEqual([changed, all.length]);
  }
});

Deno.test("changed tests > no change chooses no test, and each choice has a reason", () => {
  expect(chooseTests([], all)).toEqual([]);
  for (const { reason } of chooseTests(["src/runner/call/execute.ts"], all)) {
    expect(reason).toMatch(/\w/);
  }
});

Deno.test("changed tests > a revision that git does not know is an error with git's words", () => {
  expect(() => findChanged("no-such-revision", all)).toThrow("no-such-revision");
});

Deno.test("order > a revision that the clone does not have leaves the order to the commit", () => {
  const files = all.slice(0, 50);
  expect(orderByChange(files, "no-such-revision").toSorted()).toEqual(files.toSorted());
});
