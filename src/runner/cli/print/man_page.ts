import { version } from "../../../base/version.ts";
import { flags } from "../flags.ts";
import { commandPages, exitCodeRows } from "./command_pages.ts";
import { commandNames, isPermissionFlag, spelling } from "./help.ts";

/** The manual page `toolcall(1)`, in the macros of `man(7)`. */
export function manPage(): string {
  const commands = commandNames.flatMap((name) => {
    const { summary, usage, about, actions = {} } = commandPages[name]!;
    return [
      `.SS ${roff(`toolcall ${name}`)}`,
      roff(`${summary}.`),
      ...usage.flatMap((each) => [".PP", `.B ${roff(`toolcall ${name} ${each}`.trimEnd())}`]),
      ...about.flatMap((each) => [".PP", roff(each)]),
      ...Object.entries(actions).flatMap(([action, text]) => [".TP", `.B ${action}`, roff(text)]),
    ];
  });
  const flagLines = (isWanted: (flag: (typeof flags)[number]) => boolean) =>
    flags.filter(isWanted).flatMap((
      flag,
    ) => [".TP", `.B ${roff(spelling(flag))}`, roff(flag.help)]);
  const examples = commandNames.flatMap((name) =>
    commandPages[name]!.examples.flatMap(([command, text]) => [
      roff(`${text}:`),
      ".PP",
      ".EX",
      roff(`    ${command}`),
      ".EE",
      ".PP",
    ])
  );
  return [
    `.TH TOOLCALL 1 "" "toolcall ${version}" "User Commands"`,
    ".SH NAME",
    "toolcall \\- run a model's tool call under permissions that you choose",
    ".SH SYNOPSIS",
    ".B toolcall",
    "[PERMISSIONS] TOOL [ARGUMENTS]",
    ".br",
    ".B toolcall",
    "COMMAND [OPTIONS]",
    ".SH DESCRIPTION",
    "toolcall executes tool calls of language models. It reads one call, checks the arguments, runs " +
    "the tool in a sandbox, and prints one result. Without permissions, a tool may do nothing.",
    ".SH COMMANDS",
    ...commands,
    ".SH PERMISSIONS",
    "Values follow =, separated by commas. A flag without a value allows everything of its kind. " +
    "Deny wins.",
    ...flagLines(isPermissionFlag),
    ".SH OPTIONS",
    ...flagLines((flag) => !isPermissionFlag(flag)),
    ".SH EXIT STATUS",
    ...exitCodeRows.flatMap(([code, text]) => [".TP", `.B ${code}`, roff(text)]),
    ".SH EXAMPLES",
    ...examples,
    "",
  ].join("\n");
}

/** A text whose characters have no meaning for roff. */
function roff(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("…", "...")
    .replace(/^([.'])/, "\\&$1");
}
