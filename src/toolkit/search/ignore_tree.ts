import { dirname } from "@std/path/posix/dirname";
import { join } from "@std/path/posix/join";
import { resolve } from "@std/path/posix/resolve";
import { readRegularText } from "../../base/fs/system_file.ts";
import { IgnoreRules, type Verdict } from "./ignore_rules.ts";

/** The names of ignore files, the strongest first. */
const RULE_FILES = [".rgignore", ".ignore", ".gitignore"] as const;

/** True at the indexes of `#rules` that are git's. */
const GIT_RULES = [false, false, true, true];

/** The ignore rules of one folder, a real path: those in its own files and in the folders above it. */
export class IgnoreTree {
  #above: IgnoreTree | undefined;
  #isRepository: boolean;
  #inRepository: boolean;
  /** The rules in the order of `RULE_FILES`, then `.git/info/exclude`. */
  #rules: (IgnoreRules | undefined)[];

  /** The rules in `folder`, whose entries are `names`, below `above`. */
  constructor(readonly folder: string, names: ReadonlySet<string>, above?: IgnoreTree) {
    this.#isRepository = names.has(".git") || names.has(".jj");
    this.#inRepository = this.#isRepository || (above !== undefined && above.#inRepository);
    this.#rules = RULE_FILES.map((name) =>
      names.has(name) ? readRules(join(folder, name)) : undefined
    );
    this.#rules.push(names.has(".git") ? readRules(excludeFile(folder)) : undefined);
    // Skip folders without rules, because every path climbs this chain.
    this.#above = above === undefined || above.#says ? above : above.#above;
  }

  /**
   * The rules of all folders above `folder`. `repositories` are the folders among them with a
   * repository that the flags hide from the call.
   */
  static above(folder: string, repositories: readonly string[]): IgnoreTree | undefined {
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    const names = namesAbove(parent);
    if (repositories.includes(parent)) names.add(".git");
    return new IgnoreTree(parent, names, IgnoreTree.above(parent, repositories));
  }

  get #says(): boolean {
    return this.#isRepository || this.#rules.some((rules) => rules !== undefined);
  }

  /**
   * The verdict of the rules on an entry, by its real path. Outside a repository git's rules apply
   * only from `gitRulesFrom` downwards.
   */
  verdict(path: string, isFolder: boolean, gitRulesFrom?: string): Verdict {
    const found: Verdict[] = [];
    let leftRepository = false;
    // deno-lint-ignore no-this-alias -- the chain starts here
    for (let tree: IgnoreTree | undefined = this; tree !== undefined; tree = tree.#above) {
      const relative = path.slice(tree.folder === "/" ? 1 : tree.folder.length + 1);
      const useGit = !leftRepository &&
        (this.#inRepository || isWithin(tree.folder, gitRulesFrom));
      for (const [place, rules] of tree.#rules.entries()) {
        if (rules === undefined || found[place] !== undefined) continue;
        if (!GIT_RULES[place] || useGit) found[place] = rules.verdict(relative, isFolder);
      }
      leftRepository ||= tree.#isRepository;
    }
    return found.find((verdict) => verdict !== undefined);
  }
}

function isWithin(path: string, folder: string | undefined): boolean {
  return folder !== undefined &&
    (path === folder || path.startsWith(folder.endsWith("/") ? folder : folder + "/"));
}

/** The names of rule files and repositories in a folder above the root, which is not listed. */
function namesAbove(folder: string): Set<string> {
  const names = [...RULE_FILES, ".git", ".jj"];
  return new Set(names.filter((name) => {
    try {
      Deno.lstatSync(join(folder, name));
      return true;
    } catch {
      return false;
    }
  }));
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
function excludeFile(folder: string): string {
  const git = join(folder, ".git");
  try {
    if (Deno.statSync(git).isDirectory) return join(git, "info/exclude");
    const named = readRegularText(git).replace(/^gitdir:/, "").trim();
    const repository = resolve(folder, named);
    const common = readRegularText(join(repository, "commondir")).trim();
    return join(resolve(repository, common), "info/exclude");
  } catch {
    return join(git, "info/exclude");
  }
}
