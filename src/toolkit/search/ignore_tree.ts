import { dirname } from "@std/path/posix/dirname";
import { join } from "@std/path/posix/join";
import { pathRules } from "../../base/fs/path_rules.ts";
import { lookAt } from "../../base/fs/path_status.ts";
import { readRegularText } from "../../base/fs/system_file.ts";
import { IgnoreRules, type Verdict } from "./ignore_rules.ts";

/** The names of ignore files, the strongest first. */
const RULE_FILES = [".rgignore", ".ignore", ".gitignore"] as const;

/** True at the indexes of `#rules` that are git's. */
const GIT_RULES = [false, false, true, true];

/**
 * The ignore rules of one directory, a real path: those in its own files and in the directories
 * above it.
 */
export class IgnoreTree {
  #above: IgnoreTree | undefined;
  #isRepository: boolean;
  #inRepository: boolean;
  /** The rules in the order of `RULE_FILES`, then `.git/info/exclude`. */
  #rules: (IgnoreRules | undefined)[];

  /** The rules in `directory`, whose entries are `names`, below `above`. */
  constructor(readonly directory: string, names: ReadonlySet<string>, above?: IgnoreTree) {
    this.#isRepository = names.has(".git") || names.has(".jj");
    this.#inRepository = this.#isRepository || (above !== undefined && above.#inRepository);
    this.#rules = RULE_FILES.map((name) =>
      names.has(name) ? readRules(join(directory, name)) : undefined
    );
    this.#rules.push(names.has(".git") ? readRules(excludeFile(directory)) : undefined);
    // Skip directories without rules, because every path climbs this chain.
    this.#above = above === undefined || above.#says ? above : above.#above;
  }

  /**
   * The rules of all directories above `directory`. `repositories` are the directories among them
   * with a repository that the flags hide from the call.
   */
  static above(directory: string, repositories: readonly string[]): IgnoreTree | undefined {
    const parent = dirname(directory);
    if (parent === directory) return undefined;
    const names = ruleNames(parent);
    if (repositories.includes(parent)) names.add(".git");
    return new IgnoreTree(parent, names, IgnoreTree.above(parent, repositories));
  }

  /** The rules in a directory, of which only the names that matter are looked up. */
  static at(directory: string, above: IgnoreTree | undefined): IgnoreTree {
    return new IgnoreTree(directory, ruleNames(directory), above);
  }

  get #says(): boolean {
    return this.#isRepository || this.#rules.some((rules) => rules !== undefined);
  }

  /**
   * The verdict of the rules on an entry, by its real path. Outside a repository git's rules apply
   * only from `gitRulesFrom` downwards.
   */
  verdict(path: string, isDirectory: boolean, gitRulesFrom?: string): Verdict {
    const found: Verdict[] = [];
    let leftRepository = false;
    // deno-lint-ignore no-this-alias -- the chain starts here
    for (let tree: IgnoreTree | undefined = this; tree !== undefined; tree = tree.#above) {
      const relative = path.slice(tree.directory === "/" ? 1 : tree.directory.length + 1);
      const useGit = !leftRepository &&
        (this.#inRepository || isWithin(tree.directory, gitRulesFrom));
      for (const [place, rules] of tree.#rules.entries()) {
        if (rules === undefined || found[place] !== undefined) continue;
        if (!GIT_RULES[place] || useGit) found[place] = rules.verdict(relative, isDirectory);
      }
      leftRepository ||= tree.#isRepository;
    }
    return found.find((verdict) => verdict !== undefined);
  }
}

function isWithin(path: string, directory: string | undefined): boolean {
  return directory !== undefined &&
    (path === directory || path.startsWith(directory.endsWith("/") ? directory : directory + "/"));
}

/** The names of rule files and repositories in a directory, which is not listed. */
function ruleNames(directory: string): Set<string> {
  const names = [...RULE_FILES, ".git", ".jj"];
  return new Set(names.filter((name) => lookAt(join(directory, name)) !== undefined));
}

function readRules(path: string): IgnoreRules | undefined {
  try {
    const rules = IgnoreRules.parse(readRegularText(path));
    return rules.isEmpty ? undefined : rules;
  } catch {
    // An ignore file that cannot be read does not stop a search; nor does it in ripgrep.
    return undefined;
  }
}

/** The path of `info/exclude`. In a worktree `.git` is a file that names the repository. */
function excludeFile(directory: string): string {
  const git = join(directory, ".git");
  try {
    if (Deno.statSync(git).isDirectory) return join(git, "info/exclude");
    const named = readRegularText(git).replace(/^gitdir:/, "").trim();
    const repository = pathRules.resolve(directory, named);
    const common = readRegularText(join(repository, "commondir")).trim();
    return join(pathRules.resolve(repository, common), "info/exclude");
  } catch {
    return join(git, "info/exclude");
  }
}
