import { pathRules } from "../../base/fs/path_rules.ts";
import { quote } from "../../base/text/quote.ts";
import { type Git, runGit, startGit } from "./run_git.ts";
import { readOutput } from "../../base/program_output.ts";
import { decodeUtf8 } from "../../base/text/utf8.ts";

/** The largest number of repositories within a repository. */
const MAX_REPOSITORIES = 200;

/** The largest number of settings that name programs; no honest repository has more. */
const MAX_NAMES = 500;

/** The longest field in a list of git, in bytes. */
const MAX_FIELD = 100_000;

/** The mode of an entry of the index that refers to another repository. */
const GITLINK = "160000 ";

const FILTER = /^filter\.(.*)\.(clean|smudge|process|required)$/s;

/**
 * Settings of any section that name a program, also of a later git. Examples are a merge driver, a
 * signing program and a helper.
 */
const PROGRAM = /^.*\.(command|textconv|driver|program|defaultkeycommand|helper|cmd)$/s;

/** The scopes of the repository's own settings, which anyone may have written. */
const OWN_SCOPES: readonly (string | undefined)[] = ["local", "worktree"];

/** A repository to be listed: the top of its working tree, and the arguments that select it. */
interface Place {
  top: string;
  args: readonly string[];
}

/**
 * The names of the settings that name programs in the configuration of the repository at `top`, in
 * any file or include. For a call that changes something it adds those of the repositories within
 * it, because git looks into them for changes, under their settings. Throws when a list is
 * incomplete, because a setting that is not listed could not be disabled.
 */
export async function programNames(top: string, own: Git): Promise<string[]> {
  const names = new Set<string>();
  const places: Place[] = [{ top, args: ["-C", top, ...own.repository] }];
  for (const place of places) {
    for (const name of await namesIn(place, own)) names.add(name);
    if (names.size > MAX_NAMES) {
      throw unusable(place, `names more than ${MAX_NAMES} programs in its configuration`);
    }
    if (!own.changes) continue;
    const links = await linksIn(place, own);
    if (places.length + links.length > MAX_REPOSITORIES) {
      throw unusable(place, `contains more than ${MAX_REPOSITORIES} repositories`);
    }
    for (const link of links) places.push(...await repositoryAt(link, own));
  }
  return [...names];
}

async function namesIn(place: Place, own: Git): Promise<string[]> {
  const names: string[] = [];
  let scope: string | undefined;
  const list = ["config", "--list", "--show-scope", "--name-only", "-z"];
  await eachField(list, place, own, (field) => {
    const isProgram = OWN_SCOPES.includes(scope) && (FILTER.test(field) || PROGRAM.test(field));
    if (isProgram) names.push(textOf(field, place));
    scope = scope === undefined ? field : undefined;
  });
  return names;
}

/** The directories that the index lists as other repositories. */
async function linksIn(place: Place, own: Git): Promise<string[]> {
  const links: string[] = [];
  await eachField(["ls-files", "--stage", "-z"], place, own, (entry) => {
    if (!entry.startsWith(GITLINK)) return;
    links.push(pathRules.resolve(place.top, textOf(entry.slice(entry.indexOf("\t") + 1), place)));
  });
  return links;
}

/** The repository in a directory, as git finds it for a submodule; empty if git finds none. */
async function repositoryAt(top: string, own: Git): Promise<Place[]> {
  const inner = { top, args: ["-C", top, "--git-dir=.git"] };
  const asked = { ...own, repository: inner.args, isAnswer: true };
  const run = await runGit(["rev-parse", "--show-toplevel"], asked);
  if (/^fatal: (not a git repository|cannot change to)/.test(run.stderr)) return [];
  if (run.code !== 0) throw unusable(inner, `cannot be looked at: ${run.stderr.trim()}`);
  // Git would look elsewhere for the repositories within it.
  if (run.stdout !== `${Deno.realPathSync(top)}\n`) {
    throw unusable(inner, "has its files elsewhere");
  }
  return [inner];
}

/**
 * Passes each field that git prints to `take`, with one character for each byte. Throws when git
 * fails or a field is too long, because an incomplete list must not be used.
 */
async function eachField(
  args: readonly string[],
  place: Place,
  own: Git,
  take: (field: string) => void,
): Promise<void> {
  const { signal } = own.ctx;
  const program = startGit(args, { ...own, repository: place.args });
  const end = () => void program.end();
  signal.addEventListener("abort", end, { once: true });
  try {
    const errors = readOutput(program.stderr);
    let rest = "";
    const { stdout } = program;
    for (let chunk = await stdout.read(); chunk; chunk = await stdout.read()) {
      const fields = (rest + characters(chunk)).split("\0");
      rest = fields.pop()!;
      fields.forEach(take);
      if (rest.length > MAX_FIELD) throw unusable(place, "has a name that is too long to be read");
    }
    const { code } = await program.status;
    signal.throwIfAborted();
    if (code !== 0 || rest !== "") {
      throw unusable(place, `cannot be listed: ${(await errors).trim()}`);
    }
  } finally {
    signal.removeEventListener("abort", end);
  }
}

function characters(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return text;
}

/** A field as an argument of git, which is text. Throws for bytes that no argument can hold. */
function textOf(field: string, place: Place): string {
  const text = decodeUtf8(Uint8Array.from(field, (byte) => byte.charCodeAt(0)));
  if (text !== undefined) return text;
  throw unusable(place, `contains a name that is not UTF-8: ${quote(field)}`);
}

function unusable({ top }: Place, why: string): Error {
  return new Error(`Cannot use git here: the repository at ${quote(top)} ${why}`);
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
      "Cannot use git here: the repository's configuration (.git/config) names programs in a way " +
        `that cannot be overridden ("=" in the name ${quote(unusable)}); remove them`,
    );
  }
  const settings = names.flatMap((name) => {
    const filter = FILTER.exec(name)?.[1];
    if (filter !== undefined) {
      return ["clean=", "smudge=", "process=", `required=${changes}`]
        .map((setting) => `filter.${filter}.${setting}`);
    }
    return name.startsWith("hook.")
      ? [`${name}=`, name.replace(/command$/, "enabled=false")]
      : [name.startsWith("gpg.") ? `${name}=false` : `${name}=`];
  });
  return [...new Set(settings)].flatMap((setting) => ["-c", setting]);
}
