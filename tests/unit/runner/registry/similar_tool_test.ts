import { expect } from "@std/expect";
import { similarTool } from "../../../../src/runner/registry/similar_tool.ts";

const NAMES = ["Read", "Bash", "fs.read", "fs.list", "mcp__files__read_file"];

const ROWS: [name: string, meant: string | undefined][] = [
  ["functions.Read", "Read"],
  ["default_api.Read", "Read"],
  ["default_api:Bash", "Bash"],
  ["tools/Read", "Read"],
  ["functions.fs.read", "fs.read"],
  ["multi_tool.functions.fs.list", "fs.list"],
  ["Read<|channel|>commentary", "Read"],
  ["<|python_tag|>Bash", "Bash"],
  ["functions.Reed", "Read"],
  ["functions.mcp__files__read_file", "mcp__files__read_file"],
  ["READ", "Read"],
  ["functions.", undefined],
  ["a.b.c.d", undefined],
  ["../x", undefined],
  ["<|", undefined],
  ["", undefined],
  [".".repeat(100_000), undefined],
];

Deno.test("similar tool > a prefix of a name is not part of it", () => {
  for (const [name, meant] of ROWS) {
    expect([name.slice(0, 100), similarTool(name, NAMES)]).toEqual([name.slice(0, 100), meant]);
  }
});
