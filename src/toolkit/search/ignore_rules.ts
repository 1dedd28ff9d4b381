import { GlobMatcher } from "./glob_matcher.ts";

/** The verdict of rules on a path; undefined if no rule matches. */
export type Verdict = "ignore" | "take" | undefined;

interface Rule {
  verdict: Exclude<Verdict, undefined>;
  onlyDirectories: boolean;
  matches(path: string): boolean;
}

/** Characters that make a glob more than a plain name. */
const SPECIAL = /[?*[\]{}\\]/;

/**
 * The rules of one ignore file or of globs, over paths relative to that file's directory. The last
 * match wins.
 */
export class IgnoreRules {
  #rules: Rule[] = [];

  /** The rules of these lines. Throws a SyntaxError for an invalid glob. */
  static of(lines: readonly string[]): IgnoreRules {
    const rules = new IgnoreRules();
    lines.forEach((line) => rules.add(line));
    return rules;
  }

  /** Parses an ignore file. Lines with an invalid glob are skipped, as in ripgrep. */
  static parse(text: string): IgnoreRules {
    const rules = new IgnoreRules();
    for (const line of text.replace(/^\uFEFF/, "").split("\n")) {
      try {
        rules.add(line.replace(/\r$/, ""));
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
    }
    return rules;
  }

  /** True if there are no rules. */
  get isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  /** True if some rule excludes paths. */
  get leavesOut(): boolean {
    return this.#rules.some((rule) => rule.verdict === "ignore");
  }

  /** Adds one line in the syntax of `.gitignore`; throws a SyntaxError for an invalid glob. */
  add(line: string): void {
    const rule = parseRule(line);
    if (rule !== undefined) this.#rules.push(rule);
  }

  /** The verdict of the last matching rule; `path` has no leading and no final `/`. */
  verdict(path: string, isDirectory: boolean): Verdict {
    for (let i = this.#rules.length - 1; i >= 0; i--) {
      const rule = this.#rules[i]!;
      if ((isDirectory || !rule.onlyDirectories) && rule.matches(path)) return rule.verdict;
    }
    return undefined;
  }
}

function parseRule(line: string): Rule | undefined {
  if (line.startsWith("#")) return undefined;
  let glob = line.endsWith("\\ ") ? line : line.trimEnd();
  if (glob === "") return undefined;
  const taken = glob.startsWith("!");
  if (taken || glob.startsWith("\\!") || glob.startsWith("\\#")) glob = glob.slice(1);
  const anchored = !line.startsWith("\\") && glob.startsWith("/");
  if (anchored) glob = glob.slice(1);
  const onlyDirectories = glob.endsWith("/");
  if (onlyDirectories) glob = glob.slice(0, glob.endsWith("\\/") ? -2 : -1);
  const verdict = taken ? "take" : "ignore";
  return { verdict, onlyDirectories, matches: matcherOf(glob, anchored) };
}

/**
 * A test for a glob. Without `/` it matches at every depth. Plain names and `*.ext` need no
 * matcher.
 */
function matcherOf(glob: string, anchored: boolean): (path: string) => boolean {
  if (!anchored && !glob.includes("/")) {
    if (glob !== "" && !SPECIAL.test(glob)) {
      return (path) => path === glob || path.endsWith("/" + glob);
    }
    const ending = glob.slice(1);
    if (glob.startsWith("*") && ending !== "" && !SPECIAL.test(ending)) {
      return (path) => path.endsWith(ending);
    }
    if (glob !== "**") glob = "**/" + glob;
  }
  if (!SPECIAL.test(glob)) return (path) => path === glob;
  if (glob.endsWith("/**")) glob += "/*";
  const matcher = new GlobMatcher(glob, { flavour: "ignore" });
  return (path) => matcher.matches(path);
}
