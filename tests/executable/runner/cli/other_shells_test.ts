/** The completions work in zsh and fish, and the manual page is valid. */
// tier: machine
import { expect } from "@std/expect";
import { executable } from "../../../support/executable.ts";
import { has } from "../../../support/programs.ts";
import { completesLines } from "./completed_lines.ts";

/** The command of each shell that prints the completions of the line in `$1`, one on each line. */
const SHELLS: Readonly<Record<string, string[]>> = {
  zsh: [
    "zsh",
    "-fc",
    `eval "$(toolcall completions zsh)"; COMP_LINE="$1"; COMP_POINT=\${#1}; _toolcall
     print -l -- $COMPREPLY`,
    "zsh",
  ],
  fish: [
    "fish",
    "--no-config",
    "-c",
    "toolcall completions fish | source; complete -C $argv[1] | string replace -r '\\t.*' ''",
  ],
};

for (const [shell, command] of Object.entries(SHELLS)) {
  Deno.test({
    name: `completions > ${shell} offers commands, flags, tools, arguments and values`,
    ignore: !has(command[0]!),
    fn: () => completesLines(command),
  });
}

Deno.test({
  name: "manual page > mandoc finds no error",
  ignore: !has("mandoc"),
  fn: async () => {
    const { stdout } = await new Deno.Command("sh", {
      args: ["-c", '"$0" help --man | mandoc -Tlint -W error', executable],
    }).output();
    expect(new TextDecoder().decode(stdout)).toBe("");
  },
});
