/** The README's picture of a terminal, and its examples that need Python, Go or jq. */
// tier: machine
import { expect } from "@std/expect";
import { has } from "../support/programs.ts";
import { hasTerminals } from "../support/pseudo_terminal.ts";
import { temporaryDirectory } from "../support/temporary_directory.ts";
import { blocks, root, run } from "./readme.ts";

Deno.test({
  name: "README > the python example prints the file",
  ignore: !has("python3"),
  fn: async () => {
    const [code] = blocks("python");
    expect(code).toBeDefined();
    expect(await run(["python3"], code!)).toContain("# toolcall");
  },
});

Deno.test({
  name: "README > the go example prints the file",
  ignore: !has("go"),
  fn: async () => {
    const [code] = blocks("go");
    expect(code).toBeDefined();
    using directory = temporaryDirectory();
    Deno.writeTextFileSync(`${directory.path}/example.go`, code!);
    const script = `GOCACHE="${directory.path}/cache" exec go run "${directory.path}/example.go"`;
    expect(await run(["sh"], script)).toContain("# toolcall");
  },
});

Deno.test({
  name: "README > the shell example prints the file",
  ignore: !has("jq"),
  fn: async () => {
    const shell = blocks("sh").find((block) => block.includes("jq"));
    expect(await run(["sh"], shell!)).toContain("# toolcall");
  },
});

Deno.test({
  name: "README > its picture matches the output of the terminal",
  ignore: !hasTerminals,
  fn: async () => {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "scripts/draw_terminal.ts", "--check"],
      cwd: root,
    }).output();
    expect([code, new TextDecoder().decode(stderr)]).toEqual([0, ""]);
  },
});
