/** Settings that hold for every call, whatever any configuration says; git's own are at their end. */
const ALWAYS = [
  ...["core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "core.editor=:"],
  ...["core.askPass=", "core.sshCommand=false", "core.quotePath=false", "sequence.editor=:"],
  ...["diff.external=", "diff.noprefix=false", "diff.mnemonicPrefix=false"],
  ...["log.showSignature=false", "gc.auto=0", "maintenance.auto=false", "gc.recentObjectsHook="],
  ...[
    "submodule.recurse=false",
    "diff.ignoreSubmodules=dirty",
    "status.submoduleSummary=false",
    "credential.helper=",
  ],
  ...["color.ui=never", "color.status=never", "color.diff=never", "color.branch=never"],
  ...["column.ui=never", "advice.detachedHead=false", "uploadpack.packObjectsHook="],
];

/** The arguments that set {@link ALWAYS}. */
export const ALWAYS_SET: readonly string[] = ALWAYS.flatMap((setting) => ["-c", setting]);

/** What no configuration can undo: git asks nobody, reaches no other repository, writes to read nothing. */
export function gitEnvironment({ changes }: { changes: boolean }): Record<string, string> {
  return {
    GIT_TERMINAL_PROMPT: "0",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_NO_LAZY_FETCH: "1",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_PAGER: "cat",
    GIT_EDITOR: ":",
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
    LC_ALL: "C",
    ...(!changes && { GIT_OPTIONAL_LOCKS: "0" }),
  };
}

/** A repository's own settings that name a program to run. */
export interface OwnPrograms {
  /** Their names. */
  names: string[];
  /** The arguments that take them away. */
  settings: string[];
}

/** More than any honest repository has. */
const MOST_NAMES = 500;

const FILTER = /^filter\.(.+)\.(clean|smudge|process|required)$/s;
const PROGRAM = new RegExp(
  [
    /^diff\..+\.(command|textconv)$/,
    /^merge\..+\.driver$/,
    /^gpg\.(.+\.)?(program|defaultkeycommand)$/,
    /^credential\.(.+\.)?helper$/,
    /^trailer\..+\.(cmd|command)$/,
    /^hook\..+\.command$/,
  ].map(({ source }) => source).join("|"),
  "s",
);

/**
 * The names of a repository's own settings, which anyone may have written, out of what
 * `git config --list --show-scope --name-only -z` prints: not those of the user and the system.
 */
export function ownNames(listed: string): string[] {
  const fields = listed.split("\0");
  return fields.filter((_, at) => at % 2 === 1 && /^(local|worktree)$/.test(fields[at - 1]!));
}

/**
 * The programs that settings of these names would have git run. Where files are changed, a filter
 * is replaced by one that fails, so that no file is stored or put out without it. Throws for
 * what cannot be taken away.
 */
export function ownPrograms(
  own: readonly string[],
  { changes }: { changes: boolean },
): OwnPrograms {
  const names = [...new Set(own)].filter((name) => FILTER.test(name) || PROGRAM.test(name));
  if (names.length > MOST_NAMES || names.some((name) => name.includes("="))) {
    throw new Error(
      "Cannot use git here: the repository's configuration (.git/config) names programs in a " +
        'way that cannot be undone (more than 500, or "=" in a name); take them out of it',
    );
  }
  const settings = names.flatMap((name) => {
    const filter = FILTER.exec(name)?.[1];
    if (filter !== undefined) {
      return [
        ...["clean=", "smudge=", "process=", `required=${changes}`]
          .map((setting) => `filter.${filter}.${setting}`),
      ];
    }
    return name.startsWith("hook.")
      ? [`${name}=`, name.replace(/command$/, "enabled=false")]
      : [name.startsWith("gpg.") ? `${name}=false` : `${name}=`];
  });
  return { names, settings: [...new Set(settings)].flatMap((setting) => ["-c", setting]) };
}
