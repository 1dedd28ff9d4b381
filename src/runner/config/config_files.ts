import { readVariable } from "../../base/environment.ts";
import { pathRules } from "../../base/fs/path_rules.ts";
import { CallError, UsageError } from "../../base/errors.ts";
import { osErrorMessage } from "../../base/os_error_message.ts";
import { quote } from "../../base/text/quote.ts";
import { ownVariable } from "../own_environment.ts";
import { mayExist } from "../sandbox/policy/paths.ts";

/** The places that are searched for the configuration. */
export interface ConfigPlace {
  /** The file that was named, if one was: then it is the only one. */
  file?: string;
  /** The root directory of calls. */
  root: string;
  /** Whether the usual files are known to be missing. */
  isEmpty?: boolean;
  /** The state directory that was named, if one was. It knows which files the user trusts. */
  stateDir?: string;
  /** A variable of the caller's environment. */
  variable(name: string): string | undefined;
}

/** Where flags let look for the configuration. Throws {@link UsageError} for a missing `--root`. */
export function configPlace(
  { options }: { options: ReadonlyMap<string, string> },
  here = workingDirectory(),
): ConfigPlace {
  const [root, file, stateDir] = ["root", "config", "state-dir"].map((name) => options.get(name));
  // A search for files costs half a millisecond. The head of the executable may have done it.
  const isEmpty = root === undefined && file === undefined &&
    ownVariable("noConfiguration") === String(Deno.pid);
  return {
    isEmpty,
    root: root === undefined ? here : rootDirectory(pathRules.resolve(here, root), root),
    ...(file !== undefined && { file }),
    ...(stateDir !== undefined && { stateDir }),
    variable: readVariable,
  };
}

function rootDirectory(path: string, given: string): string {
  try {
    if (Deno.statSync(path).isDirectory) return pathRules.fromSystem(Deno.realPathSync(path));
  } catch { /* The error below reports it. */ }
  throw new UsageError(`The directory --root=${quote(given)} does not exist`);
}

/** The working directory. Throws `unavailable` if it is gone. */
export function workingDirectory(): string {
  try {
    return pathRules.fromSystem(Deno.cwd());
  } catch (error) {
    const why = `${osErrorMessage(error)}; start toolcall in one that exists`;
    throw new CallError("unavailable", `Cannot use the working directory: ${why}`);
  }
}

/**
 * The configuration files, in order of precedence. A named file is the only one, even if it is
 * missing. Otherwise these are `toolcall.json` in the root directory and the user's own file (XDG
 * Base Directory Specification, section 3), if they exist. A file in a directory that cannot be
 * read counts as existing.
 */
export function configFiles(place: ConfigPlace): string[] {
  if (place.isEmpty) return [];
  if (place.file !== undefined) return [pathRules.resolve(Deno.cwd(), place.file)];
  const own = ownConfigFile(place);
  return [projectFile(place), ...(own === undefined ? [] : [own])].filter(isFound);
}

/** The file of the root directory, whether it exists or not. */
export function projectFile({ root }: Pick<ConfigPlace, "root">): string {
  return `${root}/toolcall.json`;
}

/** The user's own file, whether it exists or not. Undefined without a home directory. */
export function ownConfigFile({ variable }: Pick<ConfigPlace, "variable">): string | undefined {
  const { isAbsolute, homeVariable } = pathRules;
  const [config, home] = [variable("XDG_CONFIG_HOME"), variable(homeVariable)];
  if (isAbsolute(config ?? "")) return `${config}/toolcall/toolcall.json`;
  return isAbsolute(home ?? "") ? `${home}/.config/toolcall/toolcall.json` : undefined;
}

/** The user's own tools directory, whether it exists or not. Undefined without a home directory. */
export function ownToolsDirectory(place: Pick<ConfigPlace, "variable">): string | undefined {
  return ownConfigFile(place)?.replace(/toolcall\.json$/, "tools");
}

/**
 * The tools directory: the one that was named, or the user's own if it exists. If a configuration
 * file was named, only a directory that was named counts.
 */
export function toolsDirectory(place: ConfigPlace, named: string | undefined): string | undefined {
  if (named !== undefined) return pathRules.resolve(Deno.cwd(), named);
  if (place.isEmpty || place.file !== undefined) return undefined;
  const own = ownToolsDirectory(place);
  return own !== undefined && isFound(own) ? own : undefined;
}

/** The places of the files, as a message names them. */
export function usualPlaces({ root }: Pick<ConfigPlace, "root">): string {
  return `"${root}/toolcall.json", the user's own toolcall/toolcall.json, or the file of --config=FILE`;
}

function isFound(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    return mayExist(path, error);
  }
}
