import { resolve } from "@std/path/posix/resolve";
import { mayExist } from "../../base/fs/may_exist.ts";

/** The places that are searched for the configuration. */
export interface ConfigPlace {
  /** The file that was named, if one was: then it is the only one. */
  file?: string;
  /** The root directory of calls. */
  root: string;
  /** Whether the usual files are known to be missing. */
  isEmpty?: boolean;
  /** A variable of the caller's environment. */
  variable(name: string): string | undefined;
}

/**
 * The configuration files, in order of precedence. A named file is the only one, even if it is
 * missing. Otherwise these are `toolcall.json` in the root directory and the user's own file (XDG
 * Base Directory Specification, section 3), if they exist. A file in a directory that cannot be
 * read counts as existing.
 */
export function configFiles(place: ConfigPlace): string[] {
  if (place.isEmpty) return [];
  if (place.file !== undefined) return [resolve(Deno.cwd(), place.file)];
  const own = ownConfigFile(place);
  return [`${place.root}/toolcall.json`, ...(own === undefined ? [] : [own])].filter(isFound);
}

/** The user's own file, whether it exists or not. Undefined without a home directory. */
export function ownConfigFile({ variable }: Pick<ConfigPlace, "variable">): string | undefined {
  const [config, home] = [variable("XDG_CONFIG_HOME"), variable("HOME")];
  if (config?.startsWith("/")) return `${config}/toolcall/toolcall.json`;
  return home?.startsWith("/") ? `${home}/.config/toolcall/toolcall.json` : undefined;
}

/** The places of the files, as a message names them. */
export function usualPlaces({ root }: Pick<ConfigPlace, "root">): string {
  return `"${root}/toolcall.json", the user's own toolcall/toolcall.json, ` +
    "or one that --config=FILE names";
}

function isFound(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    return mayExist(path, error);
  }
}
