import { lookupTable } from "../../../base/lookup_table.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { builtInBundles } from "../../registry/bundles.ts";
import { categories, optionalities, sideEffects } from "../../registry/define.ts";
import type { ToolMetadata } from "../../registry/registered_tool.ts";
import { clientNames } from "../../mcp/install/find_client.ts";
import type { Flag } from "../flag.ts";
import { flags } from "../flags.ts";
import { commandNames, helpTopics, isPermissionFlag } from "./help.ts";
import { commandPages } from "./command_pages.ts";

/** The shells that a script can be printed for. */
export const shells = ["bash", "zsh", "fish"] as const;

/** A word that can come next, and what it means. */
type Candidate = readonly [word: string, about: string];

/** The words after a command or a tool; those of the first word have the key "". */
type Candidates = ReadonlyMap<string, readonly Candidate[]>;

/** The script that completes the command line in a shell. */
export function completionScript(
  shell: (typeof shells)[number],
  tools: readonly ToolMetadata[],
): string {
  const candidates = candidatesFor(tools);
  if (shell === "fish") return fishScript(candidates);
  return shell === "bash" ? bashScript(candidates) : ZSH_START + bashScript(candidates);
}

/** The values of flags that have a list. Those of `--format` are in the usage of each command. */
const FLAG_VALUES = lookupTable<readonly string[]>({
  bundle: builtInBundles([]).map(({ name }) => name),
  category: categories,
  effect: sideEffects,
  optionality: optionalities,
  scope: ["project", "user"],
  wall: ["bwrap"],
});

function candidatesFor(tools: readonly ToolMetadata[]): Candidates {
  const named = tools.map(({ name, title }): Candidate => [name, title]);
  const commands = commandNames.map((name): Candidate => [name, commandPages[name]!.summary]);
  const topics = helpTopics.map((name): Candidate => [name, "A topic"]);
  const after: Readonly<Record<string, readonly Candidate[]>> = {
    ...Object.fromEntries(
      ["call", "check", "describe", "list", "grammar"].map((name) => [name, named]),
    ),
    help: [...commands, ...topics, ...named],
    mcp: clientNames.map((name): Candidate => [name, "A client"]),
  };
  const found = new Map<string, readonly Candidate[]>();
  found.set("", [...commands, ...named, ...flagWords("call")]);
  for (const name of commandNames) {
    const actions = Object.entries(commandPages[name]!.actions ?? {});
    found.set(name, [...actions, ...after[name] ?? [], ...flagWords(name)]);
  }
  for (const tool of tools) {
    found.set(tool.name, [...argumentWords(tool), ...flagWords("call")]);
  }
  return found;
}

function flagWords(command: string): Candidate[] {
  const isOwn = ({ commands }: Flag) => commands?.includes(command) ?? true;
  return flags.filter(isOwn).flatMap((flag): Candidate[] => {
    const word = `--${flag.name}`;
    const values = flag.name === "format" ? formatsOf(command) : FLAG_VALUES[flag.name] ?? [];
    const bare = flag.metavar === undefined || flag.isOptional;
    return [
      ...(bare ? [[word, flag.help] as const] : []),
      ...(flag.metavar === undefined ? [] : [[`${word}=`, flag.help] as const]),
      ...(isPermissionFlag(flag) ? [] : values.map((each): Candidate => [`${word}=${each}`, ""])),
    ];
  });
}

/** The formats in the usage of a command. */
function formatsOf(command: string): string[] {
  const usage = commandPages[command]?.usage.join(" ") ?? "";
  const listed = usage.match(/--format=([a-z|]+)/)?.[1];
  return listed?.split("|") ?? ["mcp", "same", "openai", "responses", "anthropic", "text"];
}

/** `key=` for each argument of a tool, and `key=value` for each value of a list. */
function argumentWords({ inputSchema }: ToolMetadata): Candidate[] {
  const { properties } = inputSchema;
  return Object.entries(isObject(properties) ? properties : {}).flatMap(([key, schema]) => {
    const { description, enum: values, type } = isObject(schema) ? schema : {};
    const listed = Array.isArray(values) ? values : type === "boolean" ? [true, false] : [];
    return [
      [`${key}=`, typeof description === "string" ? description : ""] as const,
      ...listed.map((value): Candidate => [`${key}=${value}`, ""]),
    ];
  });
}

const ZSH_START = `#compdef toolcall
autoload -U +X compinit && compinit -u
autoload -U +X bashcompinit && bashcompinit
`;

function bashScript(candidates: Candidates): string {
  const cases = [...candidates].map(([name, words]) =>
    `    ${quoted(name)}) words=${quoted(words.map(([word]) => word).join("\n"))} ;;`
  );
  return `# Completes toolcall in Bash. Written by "toolcall completions".
_toolcall_words() {
  local words=
  case "$1" in
${cases.join("\n")}
  esac
  printf '%s\\n' "$words"
}
_toolcall() {
  if [ -n "\${ZSH_VERSION:-}" ]; then emulate -L sh; fi
  local line="\${COMP_LINE:0:$COMP_POINT}" current first= word prefix=
  current="\${line##* }"
  for word in \${line% *}; do
    case "$word" in
      toolcall|*/toolcall|-*) ;;
      *) first="$word"; break ;;
    esac
  done
  # Bash completes the part after the last of these characters.
  if [ -z "\${ZSH_VERSION:-}" ]; then prefix="\${current%"\${current##*[=:]}"}"; fi
  COMPREPLY=()
  while IFS= read -r word; do
    case "$word" in
      "$current"*) COMPREPLY+=("\${word#"$prefix"}") ;;
    esac
  done <<EOF
$(_toolcall_words "$first")
EOF
}
complete -o nospace -o default -F _toolcall toolcall
`;
}

function fishScript(candidates: Candidates): string {
  const cases = [...candidates].map(([name, words]) => {
    const lines = words.map(([word, about]) =>
      about === "" ? word : `${word}\t${about.replaceAll(/\s+/g, " ").slice(0, 60)}`
    );
    return `        case ${fishQuoted(name)}\n            printf '%s\\n' ${
      lines.map(fishQuoted).join(" ")
    }`;
  });
  return `# Completes toolcall in fish. Written by "toolcall completions".
function __toolcall_words
    set -l first ''
    for word in (commandline -opc)[2..-1]
        if not string match -q -- '-*' $word
            set first $word
            break
        end
    end
    switch "$first"
${cases.join("\n")}
    end
end
complete -c toolcall -a '(__toolcall_words)'
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
