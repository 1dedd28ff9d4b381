import { resolve } from "@std/path/posix/resolve";
import { mayExist } from "../../base/fs/may_exist.ts";

/** Where the configuration is looked for. */
export interface ConfigPlace {
  /** The file that was named, if one was: then it is the only one. */
  file?: string;
  /** The call's root folder. */
  root: string;
  /** Whether it is known already that none of the usual files is there. */
  isEmpty?: boolean;
  /** A variable of the caller's environment. */
  variable(name: string): string | undefined;
}

/**
 * The files of the configuration: the named one, there or not, else those that are there, or
 * that may be in a folder of the user's which cannot be looked into, of `toolcall.json` in the
 * root folder and the user's own (XDG Base Directory Specification, section 3), in this order.
 */
export function configFiles(place: ConfigPlace): string[] {
  if (place.isEmpty) return [];
  if (place.file !== undefined) return [resolve(Deno.cwd(), place.file)];
  const own = ownConfigFile(place);
  return [`${place.root}/toolcall.json`, ...(own === undefined ? [] : [own])].filter(isFound);
}

/** The user's own file, there or not; `undefined` where there is no home folder. */
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
