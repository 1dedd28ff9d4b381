/** `toolcall --version --verbose`: the parts of the program. */
import { expect } from "@std/expect";
import { version } from "../../../../../src/base/version.ts";
import { toolcall } from "../../../../support/executable.ts";

Deno.test("version > --verbose adds the commit, the format and the versions of the parts", async () => {
  for (const args of [["--version", "--verbose"], ["version", "--verbose"]]) {
    const { code, stdout } = await toolcall(args);
    expect(code).toBe(0);
    const [first, ...lines] = stdout.trimEnd().split("\n");
    expect(first).toBe(`toolcall ${version}`);
    const parts = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s)));
    expect(Object.keys(parts)).toEqual(["commit", "format", "platform", "deno", "v8", "ripgrep"]);
    expect(parts.commit).toMatch(/^([0-9a-f]{40}(-changed)?|unknown)$/);
    expect(["compile", "self-extracting"]).toContain(parts.format);
    expect(parts.deno).toBe(Deno.version.deno);
    expect(parts.v8).toBe(Deno.version.v8);
    expect(parts.ripgrep).toMatch(/^\d+\.\d+/);
  }
});
