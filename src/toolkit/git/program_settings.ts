import { quote } from "../../base/text/quote.ts";

/** Settings of every call, which override every configuration. */
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
  ...["core.alternateRefsCommand=false", "core.gitProxy=", "interactive.diffFilter="],
];

/** The arguments that set {@link ALWAYS}. */
export const ALWAYS_SET: readonly string[] = ALWAYS.flatMap((setting) => ["-c", setting]);

/** The environment of git, which no configuration can override. Git asks nobody, reaches no other
 * repository and writes nothing when it only reads. */
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

const FILTER = /^filter\.(.*)\.(clean|smudge|process|required)$/s;
/**
 * Settings of any section that name a program, also of a later git. Examples are a merge driver, a
 * signing program and a helper.
 */
const PROGRAM = /^.*\.(command|textconv|driver|program|defaultkeycommand|helper|cmd)$/s;

/**
 * Returns whether a setting of this scope is the repository's own, which anyone may have written.
 */
export function isOwn(scope: string): boolean {
  return scope === "local" || scope === "worktree";
}

/** Returns whether the setting names a program to run. `git config --list` spells the name. */
export function namesProgram(name: string): boolean {
  return FILTER.test(name) || PROGRAM.test(name);
}

/**
 * The arguments that disable these settings, which name programs. If files are changed, a filter is
 * replaced by one that fails, so that no file is stored or checked out without it. Throws for a
 * setting that cannot be disabled.
 */
export function withoutPrograms(
  names: readonly string[],
  { changes }: { changes: boolean },
): string[] {
  const unusable = names.find((name) => name.includes("="));
  if (unusable !== undefined) {
    throw new Error(
      "Cannot use git here: the repository's configuration (.git/config) names programs in a " +
        `way that cannot be undone ("=" in the name ${quote(unusable)}); take them out of it`,
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
  return [...new Set(settings)].flatMap((setting) => ["-c", setting]);
}
