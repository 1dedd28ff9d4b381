/** The completions work in bash. */
import { has } from "../../../support/programs.ts";
import { completesLines } from "./completed_lines.ts";

/** The command that prints the completions of the line in `$1`, one on each line. */
const BASH = [
  "bash",
  "-c",
  `source <(toolcall completions bash); COMP_LINE="$1"; COMP_POINT=\${#1}; _toolcall
   current="\${1##* }"; prefix="\${current%"\${current##*[=:]}"}"
   for word in "\${COMPREPLY[@]}"; do printf '%s\\n' "$prefix$word"; done`,
  "bash",
];

Deno.test({
  name: "completions > bash offers commands, flags, tools, arguments and values",
  ignore: !has("bash"),
  fn: () => completesLines(BASH),
});
