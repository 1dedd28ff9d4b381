/** Templates of command tools. `{name}` is a value, `{name?text}` is text for a true value. */

import { quote } from "../../base/text/quote.ts";

/** The arguments of a call. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A part of a template: fixed text, a value, or text that a true value switches on. */
export type TemplatePart = { text: string } | { name: string; then?: string };

/** The longest argument of a program that Linux takes, in bytes. The last byte is a NUL. */
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;

/** A placeholder, or an escaped brace. */
const PLACEHOLDER = /\{\{|\}\}|\{([A-Za-z_]\w*)(?:\?([^{}]*))?\}/g;

/** Splits a template into its parts. `{{` and `}}` are braces. Throws for a brace without a name. */
export function parseTemplate(template: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let [at, text] = [0, ""];
  for (const match of template.matchAll(PLACEHOLDER)) {
    text += fixedText(template.slice(at, match.index), template);
    at = match.index + match[0].length;
    const [whole, name, then] = match;
    if (name === undefined) {
      text += whole[0];
      continue;
    }
    if (text !== "") parts.push({ text });
    text = "";
    parts.push({ name, ...(then !== undefined && { then }) });
  }
  text += fixedText(template.slice(at), template);
  if (text !== "") parts.push({ text });
  return parts;
}

function fixedText(text: string, template: string): string {
  if (!/[{}]/.test(text)) return text;
  throw new Error(`${quote(template)} has a brace without a name; write "{{" or "}}" for a brace`);
}

/** The names of the arguments that a template uses. */
export function namesIn(template: string): string[] {
  return parseTemplate(template).flatMap((part) => "name" in part ? part.name : []);
}

/**
 * Fills a template in. Returns no text if an argument in it is missing, and one text for each item
 * if the template is only a list. Throws for a value that has a NUL character.
 */
export function expand(template: string, args: Arguments): string[] {
  const parts = parseTemplate(template);
  const [first] = parts;
  if (parts.length === 1 && first !== undefined && "name" in first && first.then === undefined) {
    const value = valueOf(first.name, args);
    if (Array.isArray(value)) return value.map((item) => textOf(item, first.name));
  }
  let whole = "";
  for (const part of parts) {
    if ("text" in part) {
      whole += part.text;
      continue;
    }
    const value = valueOf(part.name, args);
    if (value === undefined || part.then !== undefined && value !== true) return [];
    whole += part.then ?? textOf(value, part.name);
  }
  return [whole];
}

/**
 * Fills the arguments of a program in. A value can become neither an option nor two arguments.
 * Throws for a value that begins with `-`, unless it follows `--`, is attached to an option, or its
 * name is in `withDash`. Throws for a value that the system cannot pass.
 */
export function expandArguments(
  templates: readonly string[],
  args: Arguments,
  withDash: ReadonlySet<string>,
): string[] {
  let isAfterDashes = false;
  return templates.flatMap((template) => {
    isAfterDashes ||= template === "--";
    const [first] = parseTemplate(template);
    const values = expand(template, args);
    if (first === undefined || "text" in first) {
      return values.map((each) => inLimit(each, template));
    }
    const isFree = isAfterDashes || first.then !== undefined || withDash.has(first.name);
    return values.map((value) => {
      if (!isFree && value.startsWith("-")) {
        throw new Error(
          `Invalid arguments: /${first.name} must not begin with "-", got ${quote(value, 80)}; ` +
            `the program would take it as an option`,
        );
      }
      return inLimit(value, template);
    });
  });
}

function inLimit(value: string, template: string): string {
  if (new TextEncoder().encode(value).length <= MAX_ARGUMENT_BYTES) return value;
  throw new Error(
    `Invalid arguments: the value for ${quote(template, 80)} is longer than ` +
      `${MAX_ARGUMENT_BYTES} bytes, which a program cannot take as an argument`,
  );
}

function valueOf(name: string, args: Arguments): unknown {
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  return value === null ? undefined : value;
}

function textOf(value: unknown, name: string): string {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? "";
  if (text.includes("\0")) {
    throw new Error(`Invalid arguments: /${name} must not contain a NUL character`);
  }
  return text;
}
