import { parse, type TomlTable } from "smol-toml";
import { isObject } from "../../../base/json/is_object.ts";
import { quote } from "../../../base/text/quote.ts";
import type { Installation } from "./clients.ts";

/** Returns the table of one server as TOML. */
export function tomlServer(
  { client: { key, more }, name, server: { command, args, env } }: Installation,
): string {
  const members = Object.entries({ command, args, ...more, ...(env && { env }) });
  return [`[${key}.${name}]`, ...members.map(lineOf), ""].join("\n");
}

/**
 * Adds the table of a server at the end of a TOML text, or replaces the values in its existing
 * table. All other bytes remain. Parses the result to verify it. Throws for a string that is not valid
 * TOML, and if the change would alter the meaning of anything else.
 */
export function withTomlServer(text: string, installation: Installation): string {
  const { client: { key, more = {} }, name, server } = installation;
  const before = parsed(text);
  const table = tableIn(tableIn(before, key), name);
  const env = table === undefined ? undefined : tableIn(table, "env");
  const want = {
    ...more,
    // The user's values of these members are kept.
    ...Object.fromEntries(Object.entries(table ?? {}).filter(([key]) => Object.hasOwn(more, key))),
    ...{ command: server.command, args: [...server.args] },
    ...(server.env && { env: { ...env, ...server.env } }),
  };
  if (table !== undefined && isSame(table, { ...table, ...want })) return text;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = text === "" ? "" : text.endsWith("\n") ? eol : eol + eol;
  const result = table === undefined
    ? text + gap + tomlServer(installation).replaceAll("\n", eol)
    : changed(text, { path: [key, name], members: want, eol });
  const servers = { ...tableIn(before, key), [name]: { ...table, ...want } };
  if (!isSame(parsedOr(result), { ...before, [key]: servers })) {
    throw new Error(
      `its ${key}.${name} is not written as a separate table: remove it, or change it by hand`,
    );
  }
  return result;
}

/** The names of the servers in a TOML text. Throws for a string that is not valid TOML. */
export function tomlServerNames(text: string, key: string): string[] {
  return Object.keys(tableIn(parsed(text), key) ?? {});
}

/**
 * Removes the table of a server and the tables in it. All other bytes remain. Throws as
 * {@link withTomlServer} does.
 */
export function withoutTomlServer(text: string, [key, name]: readonly [string, string]): string {
  const before = parsed(text);
  const servers = tableIn(before, key);
  if (servers === undefined || !Object.hasOwn(servers, name)) return text;
  const names = [key, name].map((each) => `["']?${each}["']?`).join("[ \\t]*\\.[ \\t]*");
  const own = new RegExp(`^[ \\t]*\\[[ \\t]*${names}[ \\t]*[.\\]]`);
  // Each part starts with the header of a table, besides the first one.
  const result = text.split(/^(?=[ \t]*\[)/m).filter((part) => !own.test(part)).join("");
  const { [name]: _removed, ...others } = servers;
  const { [key]: _servers, ...rest } = before;
  const want = [{ ...rest, [key]: others }, ...(Object.keys(others).length === 0 ? [rest] : [])];
  if (want.some((each) => isSame(parsedOr(result), each))) return result.replace(/\n{2,}$/, "\n");
  throw new Error(`its ${key}.${name} is not written as a separate table: remove it by hand`);
}

function lineOf([name, value]: [string, unknown]): string {
  return `${name} = ${valueText(value)}`;
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  if (typeof value === "string") return basicString(value);
  if (typeof value !== "object" || value === null) return String(value);
  const members = Object.entries(value).map(([name, each]) =>
    `${basicString(name)} = ${valueText(each)}`
  );
  return `{ ${members.join(", ")} }`;
}

/** Quotes a string. JSON has the same escapes as TOML, except that it does not escape DEL. */
function basicString(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

/** Sets members of the table at `path`. A member that has its own table keeps it. */
function changed(
  text: string,
  { path, members, eol }: { path: string[]; members: Record<string, unknown>; eol: string },
): string {
  const names = path.map((name) => `["']?${name}["']?`).join("[ \\t]*\\.[ \\t]*");
  const header = new RegExp(`^[ \\t]*\\[[ \\t]*${names}[ \\t]*\\].*$`, "m").exec(text);
  if (header === null) return text;
  const start = header.index + header[0].length;
  const next = /^[ \t]*\[/m.exec(text.slice(start));
  let body = next === null ? text.slice(start) : text.slice(start, start + next.index);
  let rest = text.slice(start + body.length);
  for (const [name, value] of Object.entries(members).reverse()) {
    const found = assigned(body, name);
    const line = lineOf([name, value]);
    if (found !== undefined) {
      body = body.slice(0, found.start) + line + body.slice(found.end);
      continue;
    }
    const table = { path: [...path, name], members: value as Record<string, unknown>, eol };
    const inner = changed(rest, table);
    if (inner === rest) body = `${eol}${line}${body}`;
    else rest = inner;
  }
  return text.slice(0, start) + body + rest;
}

/** Finds a key and its value, without a comment after them: the shortest piece that is valid TOML. */
function assigned(body: string, member: string): { start: number; end: number } | undefined {
  const found = new RegExp(`^[ \\t]*(?=["']?${member}["']?[ \\t]*=)`, "m").exec(body);
  if (found === null) return undefined;
  const start = found.index + found[0].length;
  for (const { index } of body.slice(start).matchAll(/[ \t]*(?=#|\r?\n|$)/g)) {
    if (parsedOr(body.slice(start, start + index))?.[member] !== undefined) {
      return { start, end: start + index };
    }
  }
  return undefined;
}

function parsed(text: string): TomlTable {
  try {
    return parse(text);
  } catch (error) {
    const [reason] = (error as Error).message.split("\n");
    throw new Error(`it is not valid TOML: ${reason}`);
  }
}

function parsedOr(text: string): TomlTable | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function tableIn(table: TomlTable | undefined, name: string): TomlTable | undefined {
  if (table === undefined || !Object.hasOwn(table, name)) return undefined;
  const value = table[name];
  if (typeof value === "object" && !Array.isArray(value) && !(value instanceof Date)) {
    return value as TomlTable;
  }
  throw new Error(`its ${quote(name)} is not a table`);
}

/** Returns true if two values of TOML are equal, regardless of the order of keys. */
function isSame(left: unknown, right: unknown): boolean {
  return canonical(left) === canonical(right);
}

function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_, each) => {
    if (typeof each === "bigint" || typeof each === "number") return `number ${each}`;
    if (!isObject(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => a < b ? -1 : 1));
  });
}
