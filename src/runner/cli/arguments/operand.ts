import { lookupTable } from "../../../base/lookup_table.ts";

/** An operand after the name of a tool, by its form. */
export type Operand =
  /** `{…}`, `-` or `@FILE`: all arguments as JSON; `text` is the JSON, nothing or the path. */
  | { form: "json" | "stdin" | "file"; text: string }
  /** Any other string without a key. */
  | { form: "positional"; text: string }
  /** `key=text`, `key:=json` or `key@=FILE`. */
  | { form: KeyForm; key: string; text: string };

/** The form of an operand with a key. */
export type KeyForm = "key_text" | "key_json" | "key_file";

/** Arguments can have names such as `-A`, which can be written after `--`. */
const KEYED = /^(-*[\p{L}_$][\p{L}\p{N}_$.-]*)(=|:=|@=)([^]*)$/u;

const FORMS = lookupTable<KeyForm>({
  "=": "key_text",
  ":=": "key_json",
  "@=": "key_file",
});

/** Reads the form of an operand. Every text has one. */
export function parseOperand(text: string): Operand {
  if (/^\s*\{/.test(text)) return { form: "json", text };
  if (text === "-" || text === "@-") return { form: "stdin", text: "" };
  if (text.startsWith("@")) return { form: "file", text: text.slice(1) };
  const [, key, sign, value] = KEYED.exec(text) ?? [];
  if (key === undefined) return { form: "positional", text };
  return { form: FORMS[sign!]!, key, text: value! };
}
