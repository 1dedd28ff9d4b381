import { globBase, type Query } from "./query.ts";
import { VERSION_CONTROL } from "./version_control.ts";

/** The limit of a compiled pattern, the same as the built-in engine's. */
const REGEX_SIZE_LIMIT = "10M";

/**
 * ripgrep's command line for a query. Every value stands behind its option's
 * `=` or after `--`, so none can be taken for an option. Fields are separated
 * by NUL, which no path holds, so the output can be read back for certain.
 */
export function rgArguments(query: Query): string[] {
  return [
    ...FIXED,
    ...modeArguments(query),
    ...(query.ignoreCase ? ["--ignore-case"] : ["--case-sensitive"]),
    // A memory map keeps a large file off the heap; line by line none is needed.
    ...(query.multiline ? ["--multiline", "--multiline-dotall", "--mmap"] : ["--no-mmap"]),
    ...(query.type === undefined ? [] : [`--type=${query.type.name}`]),
    ...query.globs.map((glob) => `--glob=${rgGlob(query, glob)}`),
    ...LEFT_OUT,
    `--regexp=${query.pattern}`,
    "--",
    query.root,
  ];
}

const FIXED: readonly string[] = [
  "--no-config",
  "--no-ignore-global",
  "--no-ignore-messages",
  "--color=never",
  "--no-heading",
  "--with-filename",
  "--hidden",
  `--regex-size-limit=${REGEX_SIZE_LIMIT}`,
];

/** They come last, for the last glob that matches wins. */
const LEFT_OUT: readonly string[] = [...VERSION_CONTROL].map((name) => `--glob=!${name}`);

function modeArguments(query: Query): string[] {
  // The files are sorted by their time later; unsorted, ripgrep searches with several threads.
  if (query.mode === "files_with_matches") return ["--null", "--files-with-matches"];
  if (query.mode === "count") return ["--sort=path", "--null", "--count"];
  return [
    "--sort=path",
    ...(query.onlyMatching ? ["--only-matching"] : []),
    "--field-match-separator=\\x00:",
    "--field-context-separator=\\x00-",
    "--context-separator=\\x00\\x00",
    query.lineNumbers ? "--line-number" : "--no-line-number",
    `--before-context=${query.before}`,
    `--after-context=${query.after}`,
  ];
}

/**
 * ripgrep takes a glob with a slash relative to its working folder. For a root
 * outside of it the glob is made to begin at the root.
 */
function rgGlob(query: Query, glob: string): string {
  const body = glob.replace(/^!/, "");
  const base = globBase(query);
  if (base === query.cwd || !body.replace(/\/$/, "").includes("/")) return glob;
  const escaped = base.replace(/[?*[\]{}\\!]/g, "\\$&");
  return `${glob.startsWith("!") ? "!" : ""}**${escaped}/${body.replace(/^\//, "")}`;
}
