import type { JsonLayout } from "./json_pieces.ts";

/** How a notebook writes the texts of its cells. */
export interface SourceForm {
  /** Whether as a list of lines rather than as one string. */
  readonly asLines: boolean;
  /** Whether characters beyond ASCII are escaped. */
  readonly asciiOnly: boolean;
  /** The layout of a list of lines. */
  readonly layout: JsonLayout;
}

/** A cell's text as the JSON of the notebook has it. */
export function sourceJson(source: string, { asLines, asciiOnly, layout }: SourceForm): string {
  if (!asLines) return stringJson(source, asciiOnly);
  const { head, between, tail } = layout;
  const lines = source.split(/(?<=\n)/).filter((line) => line !== "");
  if (lines.length === 0) return "[]";
  const values = lines.map((line) => stringJson(line, asciiOnly));
  return `[${head}${values.join(between)}${tail}]`;
}

/** Whether a JSON text has no character beyond ASCII but escapes of such ones. */
export function isAsciiOnly(json: string): boolean {
  // A count without a bound would overflow the stack of the regular expression.
  // deno-lint-ignore no-control-regex
  return !/[^\x00-\x7f]/.test(json) && /(?<!\\)(?:\\\\){0,999}\\u(?!00[0-7])/.test(json);
}

function stringJson(text: string, asciiOnly: boolean): string {
  const json = JSON.stringify(text);
  if (!asciiOnly) return json;
  return json.replace(
    /[\x7f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
