import { expect } from "@std/expect";
import { FailingTests, testCommands } from "../../../../src/toolkit/process/test_command.ts";

Deno.test("test command > the files of a directory decide the command", () => {
  const script = '{"scripts":{"test":"x"}}';
  const none = '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}';
  const rows: [files: Record<string, string>, commands: string[]][] = [
    [{}, []],
    [{ "deno.json": "{}" }, ["deno test"]],
    [{ "deno.jsonc": '{ // tasks\n "tasks": { "test": "x", }, }' }, ["deno task test"]],
    [{ "deno.json": '{"tasks":{"toString":"x"}}' }, ["deno test"]],
    [{ "package.json": script }, ["npm test"]],
    [{ "package.json": none }, []],
    [{ "package.json": "not JSON" }, []],
    [{ "package.json": script, "pnpm-lock.yaml": "" }, ["pnpm test"]],
    [{ "package.json": script, "yarn.lock": "" }, ["yarn test"]],
    [{ "Cargo.toml": "" }, ["cargo test"]],
    [{ "go.mod": "" }, ["go test ./..."]],
    [{ "pyproject.toml": "" }, ["python3 -m pytest"]],
    [{ "Makefile": "all:\n\ttest -f x\n" }, []],
    [{ "Makefile": "test = 1\ntest := 2\n# test:\n" }, []],
    [{ "Makefile": "all:\n\ntest: all\n\t./run\n" }, ["make test"]],
    [{ "Makefile": "check test: all\n" }, ["make test"]],
    [{ "Makefile": "test:\n", "go.mod": "", "package.json": script }, [
      "npm test",
      "go test ./...",
      "make test",
    ]],
  ];
  for (const [files, commands] of rows) {
    const found = testCommands((name) => Object.hasOwn(files, name) ? files[name] : undefined);
    expect([files, found.map(({ command }) => command)]).toEqual([files, commands]);
  }
});

/** The names in an output that arrives in pieces of five bytes. */
function namesIn(output: string): { names: string[]; more: number } {
  const failing = new FailingTests();
  const bytes = new TextEncoder().encode(output);
  for (let at = 0; at < bytes.length; at += 5) failing.add(bytes.subarray(at, at + 5));
  return failing.end();
}

Deno.test("failing tests > the output of each common test runner gives the names of failing tests", () => {
  const rows: [output: string, names: string[]][] = [
    ["adds ... ok (1ms)\n\x1b[1msubtracts\x1b[0m ... \x1b[31mFAILED\x1b[0m (2ms)\n", ["subtracts"]],
    ["test math::adds ... ok\ntest math::is_größer ... FAILED\n", ["math::is_größer"]],
    ["--- FAIL: TestSum (0.00s)\n    --- FAIL: TestSum/zero (0.00s)\nFAIL\n", [
      "TestSum",
      "TestSum/zero",
    ]],
    ["FAILED tests/test_a.py::test_x[1 2] - assert 1 == 2\n", ["tests/test_a.py::test_x[1 2]"]],
    ["FAIL: test_x (a.T.test_x)\n", ["test_x (a.T.test_x)"]],
    ["ok 1 - a\n    not ok 2 - b # time=3ms\n", ["b"]],
    ["✔ a (1.2ms)\n✖ b (0.5ms)\n✖ failing tests:\n✖ b (0.5ms)\n", ["b"]],
    ["  ● sums › of none\r\n", ["sums › of none"]],
    ["  1 failing\n\n  1) Sum\n", ["Sum"]],
    ["all is well\n", []],
  ];
  for (const [output, names] of rows) {
    expect([output, namesIn(output)]).toEqual([output, { names, more: 0 }]);
  }
  const many = Array.from({ length: 60 }, (_, at) => `t${at} ... FAILED\n`).join("");
  const { names, more } = namesIn(`${"x".repeat(1_000_000)} ... FAILED\n${many}`);
  expect([names.length, more]).toEqual([50, 10]);
});
