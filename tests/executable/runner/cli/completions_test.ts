/** The completions work in the real shells. */
import { expect } from "@std/expect";
import { executable, temporaryDirectory } from "../../../support/executable.ts";
import { has } from "../../../support/programs.ts";

/** A command line up to the cursor, words that are offered, and words that are not. */
const LINES: readonly [line: string, offered: string[], missing: string[]][] = [
  ["toolcall li", ["list"], ["describe"]],
  ["toolcall fs.", ["fs.read", "fs.list"], ["list"]],
  ["toolcall mcp ins", ["install"], ["list"]],
  ["toolcall mcp install cu", ["cursor"], ["zed"]],
  ["toolcall list --bundle=co", ["--bundle=code_agent"], ["--bundle=read_only"]],
  ["toolcall list --category=", ["--category=code", "--category=vcs"], ["--effect=none"]],
  ["toolcall doctor --format=", ["--format=json"], ["--format=openai"]],
  ["toolcall --allow-read=. fs.read pa", ["path="], ["list"]],
  ["toolcall Grep output_mode=", ["output_mode=content"], ["pattern="]],
  ["toolcall help ex", ["exit-codes"], ["permissions"]],
  ["toolcall describe Re", ["Read"], ["describe"]],
  ["toolcall completions ", ["bash", "zsh", "fish"], ["Read"]],
];

/** The command of each shell that prints the completions of the line in `$1`, one on each line. */
const SHELLS: Readonly<Record<string, string[]>> = {
  bash: [
    "bash",
    "-c",
    `source <(toolcall completions bash); COMP_LINE="$1"; COMP_POINT=\${#1}; _toolcall
     current="\${1##* }"; prefix="\${current%"\${current##*[=:]}"}"
     for word in "\${COMPREPLY[@]}"; do printf '%s\\n' "$prefix$word"; done`,
    "bash",
  ],
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

for (const [shell, [program, ...args]] of Object.entries(SHELLS)) {
  Deno.test({
    name: `completions > ${shell} offers commands, flags, tools, arguments and values`,
    ignore: !has(program!),
    fn: async () => {
      using directory = temporaryDirectory();
      Deno.symlinkSync(executable, `${directory.path}/toolcall`);
      for (const [line, offered, missing] of LINES) {
        const { stdout } = await new Deno.Command(program!, {
          args: [...args, line],
          cwd: directory.path,
          env: { PATH: `${directory.path}:${Deno.env.get("PATH")}` },
          stdin: "null",
        }).output();
        const words = new TextDecoder().decode(stdout).split("\n").map((word) => word.trim());
        expect({ line, words: offered.filter((word) => !words.includes(word)) })
          .toEqual({ line, words: [] });
        expect({ line, words: missing.filter((word) => words.includes(word)) })
          .toEqual({ line, words: [] });
      }
    },
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
