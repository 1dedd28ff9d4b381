import { parse, type TomlTable } from "smol-toml";
import { quote } from "../../quote.ts";
import type { ServerCommand } from "./clients.ts";

/** A table of servers, and the one in it that is to have a command. */
export interface TomlServer {
  /** The name of the table of servers. */
  key: string;
  /** The server's name: letters, digits, `_` and `-`. */
  name: string;
  /** How it is started. */
  server: ServerCommand;
}

/** The table of one server, as TOML. */
export function tomlServer({ key, name, server }: TomlServer): string {
  return [`[${key}.${name}]`, ...assignments(server).map(([, line]) => line), ""].join("\n");
}

/**
 * A TOML text in which a server has its command: its table is added at the end, or the
 * two values in the table that is there are replaced. Every other byte stays. The result
 * is read back: it throws for a text that is not TOML, and for one that cannot be changed
 * so that nothing else in it changes its meaning.
 */
export function withTomlServer(text: string, wanted: TomlServer): string {
  const { key, name, server } = wanted;
  const before = parsed(text);
  const table = tableIn(tableIn(before, key), name);
  const want = { command: server.command, args: [...server.args] };
  if (table !== undefined && sameMembers(table, want)) return text;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = text === "" ? "" : text.endsWith("\n") ? eol : eol + eol;
  const result = table === undefined
    ? text + gap + tomlServer(wanted).replaceAll("\n", eol)
    : replaced(text, { ...wanted, eol });
  const servers = { ...tableIn(before, key), [name]: { ...table, ...want } };
  if (!isSame(parsedOr(result), { ...before, [key]: servers })) {
    throw new Error(
      `its ${key}.${name} is not written as a table of its own: remove it, or change it by hand`,
    );
  }
  return result;
}

function assignments({ command, args }: ServerCommand): [key: string, line: string][] {
  return [
    ["command", `command = ${basicString(command)}`],
    ["args", `args = [${args.map(basicString).join(", ")}]`],
  ];
}

/** JSON's escapes are TOML's, but for DEL, which JSON leaves as it is. */
function basicString(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

function replaced(
  text: string,
  { key, name, server, eol }: TomlServer & { eol: string },
): string {
  const header = new RegExp(
    `^[ \\t]*\\[[ \\t]*["']?${key}["']?[ \\t]*\\.[ \\t]*["']?${name}["']?[ \\t]*\\].*$`,
    "m",
  ).exec(text);
  if (header === null) return text;
  const start = header.index + header[0].length;
  const next = /^[ \t]*\[/m.exec(text.slice(start));
  let body = next === null ? text.slice(start) : text.slice(start, start + next.index);
  const rest = text.slice(start + body.length);
  for (const [member, line] of assignments(server).reverse()) {
    const found = assigned(body, member);
    body = found === undefined
      ? `${eol}${line}${body}`
      : body.slice(0, found.start) + line + body.slice(found.end);
  }
  return text.slice(0, start) + body + rest;
}

/** Where a key and its value stand, without a comment behind them: the shortest piece that is TOML. */
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

function sameMembers(table: TomlTable, want: Record<string, unknown>): boolean {
  return Object.entries(want).every(([name, value]) => isSame(table[name], value));
}

/** Whether two values read from TOML are the same, whatever the order of their keys. */
function isSame(left: unknown, right: unknown): boolean {
  return canonical(left) === canonical(right);
}

function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_, each) => {
    if (typeof each === "bigint" || typeof each === "number") return `number ${each}`;
    if (typeof each !== "object" || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => a < b ? -1 : 1));
  });
}
