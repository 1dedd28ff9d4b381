import { parse as parseYaml } from "@std/yaml/parse";
import { isObject } from "../../../base/json/is_object.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { quote } from "../../../base/text/quote.ts";

/** The kinds of values that are completed. */
const TYPES = ["text", "path", "tool"] as const;

/** An argument of a prompt. */
export interface PromptArgument {
  /** Its name. */
  name: string;
  /** The description for the user. */
  description?: string;
  /** Whether it must be given. */
  required: boolean;
  /** The kind of its value: a path, the name of a tool, or another string. */
  type: typeof TYPES[number];
  /** The allowed values, if only these are. */
  values?: readonly string[];
}

/** A prompt of a Markdown file. */
export interface PromptFile {
  /** Its name. */
  name: string;
  /** The title for people. */
  title?: string;
  /** The description. */
  description: string;
  /** Its arguments. */
  arguments: readonly PromptArgument[];
  /** Paths and addresses of what goes with the text. */
  attach: readonly string[];
  /** The text with the names of arguments in double braces. */
  text: string;
}

/** The most characters of a title or a description, and the most arguments and attachments. */
const [MAX_TITLE, MAX_DESCRIPTION, MAX_ITEMS] = [200, 1_000, 20];

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;
const NAME_RULE = '1 to 64 letters, digits, "_", "-" and ".", and begin with none of the last two';

/**
 * Parses a Markdown file: its front matter describes the prompt, and the rest is the text. `stem` is
 * the name of the file without its end. Throws an error that says what is wrong.
 */
export function parsePrompt(source: string, stem: string): PromptFile {
  const [, head = "", text = source] =
    /^---[ \t]*\r?\n([^]*?\r?\n)?---[ \t]*\r?\n?([^]*)$/.exec(source) ?? [];
  const matter = new Fields(readMatter(head), "the front matter");
  const name = matter.text("name") ?? stem;
  if (!NAME.test(name)) throw new Error(`the name ${quote(name)} must have ${NAME_RULE}`);
  const title = matter.text("title", MAX_TITLE);
  const description = matter.text("description", MAX_DESCRIPTION) ?? title ?? name;
  const args = matter.list("arguments").map(parseArgument);
  const attach = matter.list("attach").map((item) => {
    if (typeof item === "string" && item !== "") return item;
    throw new Error('"attach" must be a list of paths or addresses');
  });
  matter.refuseOthers();
  const twice = args.find(({ name }, at) => args.findIndex((each) => each.name === name) < at);
  if (twice !== undefined) throw new Error(`the argument ${quote(twice.name)} is there twice`);
  if (text.trim() === "") throw new Error("it has no text");
  return {
    ...{ name, description, arguments: args, attach, text: text.trim() },
    ...(title !== undefined && { title }),
  };
}

function readMatter(head: string): unknown {
  try {
    // The simplest schema has no dates and no other types of its own.
    return parseYaml(head, { schema: "core" }) ?? {};
  } catch (error) {
    throw new Error(
      `its front matter is not valid YAML: ${(error as Error).message.split("\n")[0]}`,
    );
  }
}

function parseArgument(item: unknown): PromptArgument {
  const fields = new Fields(item, "an argument");
  const name = fields.text("name");
  if (name === undefined) throw new Error("an argument has no name");
  if (!NAME.test(name)) {
    throw new Error(`the name of the argument ${quote(name)} must have ${NAME_RULE}`);
  }
  const description = fields.text("description", MAX_DESCRIPTION);
  const values = fields.list("enum").map(String);
  const given = fields.text("type") ?? "text";
  const type = TYPES.find((each) => each === given);
  if (type === undefined) {
    throw new Error(`the type ${quote(given)} of ${quote(name)} must be ${TYPES.join(", ")}`);
  }
  const required = fields.flag("required");
  fields.refuseOthers();
  return {
    ...{ name, required, type },
    ...(description !== undefined && { description }),
    ...(values.length > 0 && { values }),
  };
}

/** The keys of an object in the front matter. Each is read once, and the others are refused. */
class Fields {
  #left: Record<string, unknown>;

  constructor(value: unknown, readonly what: string) {
    if (!isObject(value)) throw new Error(`${what} must have keys and values`);
    this.#left = { ...value };
  }

  text(key: string, limit = MAX_DESCRIPTION): string | undefined {
    const value = this.#take(key);
    if (value === undefined) return undefined;
    if (typeof value !== "string") {
      throw new Error(`${quote(key)} of ${this.what} must be a string`);
    }
    if (value.length > limit) {
      throw new Error(`${quote(key)} of ${this.what} has more than ${limit} characters`);
    }
    return escapeControls(value.trim());
  }

  list(key: string): unknown[] {
    const value = this.#take(key) ?? [];
    if (!Array.isArray(value)) throw new Error(`${quote(key)} of ${this.what} must be a list`);
    if (value.length > MAX_ITEMS) {
      throw new Error(`${quote(key)} of ${this.what} has more than ${MAX_ITEMS} items`);
    }
    return value;
  }

  flag(key: string): boolean {
    const value = this.#take(key) ?? false;
    if (typeof value !== "boolean") {
      throw new Error(`${quote(key)} of ${this.what} must be true or false`);
    }
    return value;
  }

  refuseOthers(): void {
    const [other] = Object.keys(this.#left);
    if (other !== undefined) throw new Error(`${this.what} has no key ${quote(other)}`);
  }

  #take(key: string): unknown {
    const value = Object.hasOwn(this.#left, key) ? this.#left[key] : undefined;
    delete this.#left[key];
    return value ?? undefined;
  }
}
