import { type Flag, flags } from "../flags.ts";

const commands: Readonly<Record<string, { usage: string; about: string }>> = {
  call: {
    usage: "toolcall [call] [NAME [JSON]] [--format=mcp|same|openai|responses|anthropic|text]",
    about: `Runs one tool call and prints its result as one line of JSON, or as text on a
terminal. The variable TOOLCALL_FORMAT pins the format, and --format overrides it. Without NAME the
whole call is read from stdin; with NAME and no JSON the arguments are. A call may come as
MCP's params, as a JSON-RPC request, or as OpenAI, its Responses or Anthropic write it, by
itself or in an assistant's message; --format=same answers it in its own form.`,
  },
  check: {
    usage: "toolcall check [NAME [JSON]] [--format=json|text] [FLAGS]",
    about: `Finds the tool, checks the arguments and asks the flags, but runs nothing. Prints
the complete arguments, what the call needs, whether the flags grant it, and what
each wall will hold.`,
  },
  submit: {
    usage: `toolcall submit [--jobs=N] [--ordered] [--quiet]
                  [--format=mcp|same|openai|responses|anthropic] [FLAGS] < CALLS > RESULTS`,
    about: `Runs many tool calls in one process. Each line of stdin is a call in any form that
"call" reads, or {"id": ..., "call": ...} with such a call. Each line of stdout is the result of a
call as JSON, with "id": the id of the line, else that of the call, else the number of the line.
Results are printed as calls end. The exit code is 0 if every call succeeded, 1 if some failed,
and 7 after a signal: running calls are then ended, and a second signal ends the program at once.`,
  },
  list: {
    usage: `toolcall list [NAME…] [--category=NAME] [--optionality=NAME] [--effect=NAME]
                [--search=TEXT] [--lint]
                [--format=text|json|mcp|openai|responses|anthropic|gemini]`,
    about: `Prints the catalogue of tools, or those that are named: as a table, as data, or as the
definitions that a model's API takes. A tool is left out unless every flag that chooses holds
for it; those with a word of --search in their names come first. With --lint (text or json) it
prints what the APIs would refuse instead; the exit code is 1 when there is something, else 0.`,
  },
  describe: {
    usage: "toolcall describe NAME [--format=text|json|mcp|openai|responses|anthropic|gemini]",
    about: "Prints all there is to know of one tool.",
  },
  grammar: {
    usage: "toolcall grammar [NAME…] [--strict]",
    about: `Prints a grammar in GBNF, llama.cpp's language for them, that admits the calls of the
tools, or of those that are named, and nothing else. What of their schemas it cannot express is
said on stderr; with --strict the exit code is then 1, else 0.`,
  },
  tasks: {
    usage: `toolcall tasks [list] [--format=text|json]
  toolcall tasks show|stop ID [--format=text|json]
  toolcall tasks logs ID [-f] [--format=text|json]
  toolcall tasks wait ID [--timeout=TIME] [--format=text|json]`,
    about: `Lists the background tasks, the newest first: those that run, and those that ended
in the last week. "show" prints the state and the result of one, "logs" its output. With -f it
prints the output until the task ends. "wait" waits for the end. Its exit code is 0 if the task
succeeded, 1 if it failed, and 7 if it was stopped or a time limit passed. An unknown ID gives 1.

Examples:
  toolcall tasks
  toolcall tasks logs task_0123456789abcdef0123 -f
  toolcall tasks wait task_0123456789abcdef0123 --timeout=5m`,
  },
  audit: {
    usage: "toolcall audit FILE [-f] [--tool=NAME] [--denied] [--format=text|json]",
    about: `Prints the calls in a log of --audit: as a table at a terminal, and as lines of JSON in
a pipe. With -f it also prints the calls that are added, until a signal comes. It follows the log
through --audit-max-size. Lines that are not the record of a call are counted on stderr.

Examples:
  toolcall audit calls.jsonl
  toolcall audit calls.jsonl --denied --format=text
  toolcall audit calls.jsonl --tool=Bash --format=json`,
  },
  bundles: {
    usage: "toolcall bundles [--format=text|json] [--config=FILE] [--root=DIR]",
    about: `Lists the bundles for --bundle: those of the program, and those of the configuration.
For each it prints its tools, and an estimate of the tokens that their definitions cost.

Examples:
  toolcall bundles
  toolcall bundles --format=json`,
  },
  cache: {
    usage: "toolcall cache [list|clean [--all]] [--format=text|json]",
    about: `Lists the versions of this program that were unpacked. "clean" removes those that were
not used for a day; with --all, all others. A version that runs is never removed.

Examples:
  toolcall cache
  toolcall cache clean`,
  },
  mcp: {
    usage: `toolcall mcp [--http=HOST:PORT [--token-env=NAME|--no-token]] [FLAGS]
  toolcall mcp install CLIENT [--name=NAME] [--scope=project|user] [--write] [FLAGS]
  toolcall mcp uninstall CLIENT [--name=NAME] [--scope=project|user] [--write]
  toolcall mcp list [--name=NAME] [--scope=project|user] [--format=text|json]`,
    about: `Serves the tools to an MCP client under the given flags, over stdio until its input
ends, or over streamable HTTP until a signal comes. "install" prints the configuration by which
a client starts this server, or writes it into the client's file. "uninstall" removes it again.
"list" prints which files of the known clients have it. Clients: claude-code, claude-desktop,
cursor, vscode, zed, codex, gemini, windsurf, kiro, roo, opencode, copilot-cli, amp, lmstudio,
continue, qwen-code.

Examples:
  toolcall mcp install cursor --allow-read=. --bundle=read_only
  toolcall mcp install claude-code --allow-read=. --allow-run=git --write
  toolcall mcp uninstall cursor
  toolcall mcp list`,
  },
  config: {
    usage: `toolcall config check [FILE] [--format=text|json]
  toolcall config get KEY | set KEY VALUE | path [--user] [--format=text|json]
  toolcall config edit [--user]
  toolcall config prompts [--clear] [--format=text|json]
  toolcall config schema`,
    about: `"check" prints everything that is wrong with the configuration that a call would
read, or with one file: where, what, and what would be right. The exit code is 1 when there is
something, else 0. "prompts" lists the permissions that
--prompt has kept; --clear removes them. "schema" prints the JSON Schema of toolcall.json, for editors.
"get" prints the value of a key such as tools.disabled or /policy/fs.read/timeoutMs. "set" changes
it and keeps comments. A VALUE that is not JSON is a text, and null removes the key. "edit" opens
the file in $VISUAL or $EDITOR. Neither writes a file that calls could not use. "path" prints where
the files are. --user selects the user's own file, --config and --root other ones.

Examples:
  toolcall config set tools.disabled '["Bash"]'
  toolcall config get tools.disabled
  toolcall config path`,
  },
  doctor: {
    usage:
      "toolcall doctor [--format=text|json] [--config=FILE] [--root=DIR] [--allow-mcp[=SERVER,…]]",
    about: `Tries the walls that hold the programs a call starts, looks for what tools need and at
the MCP servers of the configuration, and says how to get what is missing. A server is started
only under --allow-mcp. The exit code is 0 when every wall holds, else 1.`,
  },
};

const introduction =
  `toolcall runs one JSON tool call: {"name": "...", "arguments": {...}} on stdin,
one {"content", "isError"} on stdout. With no permission flag nothing is allowed.

Usage:
${Object.values(commands).map(({ usage }) => `  ${usage}`).join("\n")}
`;

const exitCodes = `Exit codes:
  0  the call succeeded           5  invalid arguments
  1  the tool failed              6  permission denied
  2  wrong command line           7  timed out or cancelled
  3  the input is not a call      8  something the tool needs is missing
  4  unknown tool                70  internal error
`;

/** The names of the commands that have a help page. */
export const commandNames: readonly string[] = Object.keys(commands);

/** The help for one command, or for the whole program. */
export function helpText(command?: string): string {
  const page = commands[command ?? ""];
  if (page === undefined) return `${introduction}\n${flagLines(flags)}\n${exitCodes}`;
  const own = flags.filter(({ name, commands }) =>
    name !== "version" && (commands?.includes(command!) ?? true)
  );
  return `${page.about}\n\nUsage:\n  ${page.usage}\n\n${flagLines(own)}`;
}

function flagLines(list: readonly Flag[]): string {
  const rows = list.map((flag) => [spelling(flag), flag.help] as const);
  const width = Math.max(...rows.map(([left]) => left.length));
  return `Flags:\n${rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join("")}`;
}

function spelling({ name, short, metavar, isOptional }: Flag): string {
  const letter = short === undefined ? "    " : `-${short}, `;
  const value = metavar === undefined ? "" : isOptional ? `[=${metavar}]` : `=${metavar}`;
  return `${letter}--${name}${value}`;
}
