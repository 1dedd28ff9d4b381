import { expect } from "@std/expect";
import { flagArguments } from "../../../../src/runner/cli/flag_arguments.ts";
import { parseCommandLine } from "../../../../src/runner/cli/parse_command_line.ts";

Deno.test("flag arguments > the flags made from grants parse to the same grants, with any values", async () => {
  const rows: string[][] = [
    ["--allow-run=a", "--allow-run=,,b"],
    ["--allow-env=a,,", "--deny-env=b", "--deny-env=,,a"],
    ["--allow-read=a,,b,c", "--deny-write=,,", "--allow-read=x=y"],
    ["--allow-net", "--allow-net=127.0.0.1:80", "--deny-net=10.0.0.0/8"],
    ["--allow-all", "--deny-run", "--allow-mcp=two\nlines"],
  ];
  for (const args of rows) {
    const { grants, options } = await parseCommandLine(args);
    const again = await parseCommandLine(flagArguments(grants, options));
    expect([args, again.grants]).toEqual([args, grants]);
  }
});
