/** Words in the place of a program that start none: builtins, keywords and functions' openings. */
const BUILTINS = new Set(
  (". : [ [[ alias bg bind break builtin caller case cd compgen complete continue coproc declare " +
    "dirs disown do done echo elif else enable esac eval exit export false fc fg fi for function " +
    "getopts hash help history if in jobs kill let local logout mapfile popd printf pushd pwd read " +
    "readarray readonly return select set shift shopt source suspend test then times trap true " +
    "type typeset ulimit umask unalias unset until wait while { } !").split(" "),
);

/** Words after which the command goes on: the next word is in the place of a program too. */
const PREFIXES = new Set(
  "! command do elif else env exec if nice nohup then time until while xargs {".split(" "),
);

const HEREDOC = /<<-?\s*(['"]?)(\w+)\1([^\n]*)\n[^]*?\n\s*\2(?=\n|$)/g;

/** A comment, a redirection, a separator of commands, or a word with its quoted parts. */
const TOKEN =
  /(?<comment>(?<=^|\s)#[^\n]*)|(?<redirection>\d*[<>]+[&|]?\s*[^\s;|&()<>]*)|(?<separator>\$\(|[;|&()`\n]+)|(?<word>(?:\\[^]|'[^']*'|"(?:[^"\\]|\\[^])*"|[^\s;|&()<>`'"\\$]|\$(?!\())+)/g;

/**
 * The programs that a shell command seems to start, each once, in order of appearance: `ls | wc -l`
 * gives `ls` and `wc`. Words that the shell expands, its builtins and its keywords are not among them.
 * It is a guess for people, as only the shell itself knows.
 */
export function programsInCommand(command: string): string[] {
  const found = new Set<string>();
  let isProgram = true;
  for (const { groups } of command.replaceAll(HEREDOC, " $3\n").matchAll(TOKEN)) {
    const { separator, word } = groups!;
    if (separator !== undefined) isProgram = true;
    if (word === undefined || !isProgram || /^\w+=/.test(word)) continue;
    if (PREFIXES.has(word)) {
      if (!BUILTINS.has(word) && /^(env|nice|nohup|xargs)$/.test(word)) found.add(word);
      continue;
    }
    // An option belongs to a prefix such as xargs.
    if (word.startsWith("-")) continue;
    isProgram = false;
    const name = word.replaceAll(/['"]/g, "");
    if (/^[\w./+-]+$/.test(name) && !BUILTINS.has(name)) found.add(name);
  }
  return [...found];
}
