import { isObject } from "../is_object.ts";
import { dirname } from "@std/path/posix/dirname";
import { resolve } from "@std/path/posix/resolve";
import { parse, type ParseError, printParseErrorCode } from "jsonc-parser";
import { CallError } from "../call_error.ts";
import { quote } from "../quote.ts";
import type { Grants } from "../sandbox/grants.ts";
import { placesOf } from "../sandbox/paths.ts";
import { isWritable } from "../sandbox/programs.ts";
import type { Scope } from "../sandbox/scope.ts";
import { Expansion } from "./expand.ts";
import { type ServerConfig, serverOf } from "./server_config.ts";

/** The longest file that is read, in bytes. */
const LONGEST = 2 ** 20;

/** Where the configuration is looked for. */
export interface ConfigPlace {
  /** The file that was named, if one was. */
  file?: string;
  /** The call's root folder. */
  root: string;
  /** The environment: variables in values, and where the user's own file is. */
  environment: Readonly<Record<string, string>>;
  /** What the flags allow: a file where programs that a call starts may write is refused. */
  grants: Grants;
}

/** The configuration of MCP servers. */
export interface Config {
  /** The file; `undefined` when there is none. */
  path: string | undefined;
  /** The folder that its relative paths start from. */
  folder: string;
  /** The servers, by name; of one that cannot be used, why. */
  servers: ReadonlyMap<string, ServerConfig | Error>;
}

/**
 * Reads the servers of the first file that is there: the named one, `toolcall.json` in the
 * root folder, the user's own. Throws `unavailable` for a file that cannot be used; an entry
 * that cannot be used is in the place of its server.
 */
export function readConfig(place: ConfigPlace): Config {
  const found = find(place);
  if (found === undefined) return { path: undefined, folder: place.root, servers: new Map() };
  const [path, text] = found;
  const writable = writableByPrograms(place.grants);
  if (placesOf(path).some((each) => isWritable(each, writable))) {
    const why = "it lies where programs that a call starts may write";
    throw unusable(path, `${why}; keep it elsewhere and name it with --config=FILE`);
  }
  const entries = entriesOf(path, text);
  const servers = new Map<string, ServerConfig | Error>();
  for (const [name, entry] of Object.entries(entries)) {
    try {
      const server = serverOf(name, entry, new Expansion(place.environment));
      // The same words, "./server" for one, are another program in another folder.
      if (server !== undefined) {
        servers.set(name, { ...server, source: `${path}\n${server.source}` });
      }
    } catch (error) {
      const why = (error as Error).message;
      servers.set(name, unusable(path, `mcpServers, ${quote(name)}: ${why}`));
    }
  }
  return { path, folder: dirname(path), servers };
}

/** Where programs that a call starts may write by these flags; tools never write such a file. */
function writableByPrograms({ all, allow }: Grants): Scope | undefined {
  return all || allow.run === undefined ? undefined : allow.write;
}

/** The places of the file, as a message names them. */
export function usualPlaces({ root }: Pick<ConfigPlace, "root">): string {
  return `${quote(`${root}/toolcall.json`)}, the user's own toolcall/toolcall.json, ` +
    "or one that --config=FILE names";
}

function find({ file, root, environment }: ConfigPlace): [path: string, text: string] | undefined {
  if (file !== undefined) {
    const path = resolve(Deno.cwd(), file);
    const text = read(path);
    if (text === undefined) throw unusable(path, "there is no such file");
    return [path, text];
  }
  const { XDG_CONFIG_HOME: config, HOME: home } = environment;
  const own = config?.startsWith("/") ? config : home?.startsWith("/") ? `${home}/.config` : "";
  for (const folder of [root, ...(own === "" ? [] : [`${own}/toolcall`])]) {
    const path = `${folder}/toolcall.json`;
    const text = read(path);
    if (text !== undefined) return [path, text];
  }
  return undefined;
}

function read(path: string): string | undefined {
  try {
    const { size, isFile } = Deno.statSync(path);
    if (!isFile) throw new Error("it is no file");
    // What the kernel makes as it is read has no size, and some of it is waited for without end.
    if (size === 0) throw new Error("it is empty");
    if (size > LONGEST) throw new Error("it is longer than 1 MiB");
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return undefined;
    }
    throw unusable(path, (error as Error).message);
  }
}

function entriesOf(path: string, text: string): Record<string, unknown> {
  const errors: ParseError[] = [];
  const value = parsed(path, text, errors);
  const [first] = errors;
  if (first !== undefined) {
    const before = text.slice(0, first.offset).split("\n");
    const words = printParseErrorCode(first.error).replace(/(?!^)([A-Z])/g, " $1").toLowerCase();
    throw unusable(path, `line ${before.length}, column ${before.at(-1)!.length + 1}: ${words}`);
  }
  const servers = isObject(value) ? value["mcpServers"] ?? {} : undefined;
  if (!isObject(value)) throw unusable(path, "it has to hold one JSON object");
  if (!isObject(servers)) throw unusable(path, '"mcpServers" has to be an object');
  return servers;
}

function parsed(path: string, text: string, errors: ParseError[]): unknown {
  try {
    return parse(text, errors, { allowTrailingComma: true });
  } catch {
    // Each level of it takes one of the stack.
    throw unusable(path, "it is nested too deeply");
  }
}

function unusable(path: string, why: string): CallError {
  return new CallError("unavailable", `Cannot use the configuration ${quote(path, 4096)}: ${why}`, {
    config: path,
  });
}
