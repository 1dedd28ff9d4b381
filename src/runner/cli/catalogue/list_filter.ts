import { categories, optionalities, sideEffects } from "../../registry/define.ts";
import { isObject } from "../../../base/json/is_object.ts";
import type { Registry } from "../../registry/registry.ts";
import type { ToolMetadata } from "../../registry/registered_tool.ts";
import { quote } from "../../../base/text/quote.ts";
import { nearest } from "../../../base/text/nearest.ts";
import { findTools } from "./catalogue.ts";
import { UsageError } from "../../../base/errors.ts";

/** The deepest level of a schema that is searched for names of arguments. */
const MAX_DEPTH = 32;

/** The flags that choose by a field of a tool. */
const fieldFlags: readonly {
  flag: string;
  field: "category" | "optionality" | "sideEffect";
  what: string;
  known: readonly string[];
}[] = [
  { flag: "category", field: "category", what: "category", known: categories },
  { flag: "optionality", field: "optionality", what: "optionality", known: optionalities },
  { flag: "effect", field: "sideEffect", what: "side effect", known: sideEffects },
];

/**
 * The filter that the flags `--category`, `--optionality`, `--effect` and `--search` make together,
 * as `words` that are typed, which are empty for a filter that all tools pass. `from` returns the
 * tools that pass it, of these names or of all listed tools, and rejects with {@link UsageError} for
 * an unknown name and for a hidden tool. Throws {@link UsageError} for a value that no tool can have.
 */
export function parseListFilter(options: ReadonlyMap<string, string>) {
  const filters: ((tool: ToolMetadata) => boolean)[] = [];
  const words: string[] = [];
  for (const { flag, field, what, known } of fieldFlags) {
    const given = options.get(flag);
    if (given === undefined) continue;
    if (!known.includes(given)) throw unknownValueError(given, what, known);
    filters.push((tool) => tool[field] === given);
    words.push(`--${flag}=${given}`);
  }
  const search = options.get("search");
  const wanted = search === undefined ? [] : fold(search).split(/\s+/).filter(Boolean);
  if (search !== undefined) {
    if (wanted.length === 0) throw new UsageError("The flag --search needs a word: --search=TEXT");
    filters.push((tool) => {
      const text = searchText(tool);
      return wanted.every((word) => text.includes(word));
    });
    words.push(`--search=${quote(search)}`);
  }
  return {
    words: words.join(" "),
    async from(registry: Registry, names: readonly string[]): Promise<ToolMetadata[]> {
      const tools = await findTools(registry, names);
      const hidden = tools.find(({ description }) => description === undefined);
      if (hidden !== undefined) {
        const why = 'has no description, so it is in no list; see "toolcall describe"';
        throw new UsageError(`The tool ${quote(hidden.name)} ${why}`);
      }
      const chosen = tools.filter((tool) => filters.every((holds) => holds(tool)));
      if (search === undefined) return chosen;
      const rank = new Map(chosen.map((tool) => [tool, nameRank(tool, wanted)]));
      return chosen.sort((a, b) => rank.get(b)! - rank.get(a)!);
    },
  };
}

/** The number of words in the tool's name, and one more if the words are the whole name. */
function nameRank({ name }: ToolMetadata, words: readonly string[]): number {
  const text = fold(name);
  return words.filter((word) => text.includes(word)).length + (words.join(" ") === text ? 1 : 0);
}

function searchText({ name, aliases, title, description, usageHint, inputSchema }: ToolMetadata) {
  const properties = new Set<string>();
  collectProperties(inputSchema, properties);
  const texts = [name, ...aliases, title, description ?? "", usageHint, ...properties];
  return fold(texts.join("\n"));
}

function fold(text: string): string {
  return text.normalize().toLowerCase();
}

/** Adds the names of the properties that a schema, or one inside it, describes. */
function collectProperties(schema: unknown, names: Set<string>, depth = 0): void {
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(schema)) {
    for (const each of schema) collectProperties(each, names, depth + 1);
  }
  if (!isObject(schema)) return;
  for (const [key, value] of Object.entries(schema)) {
    if (["enum", "const", "default", "examples"].includes(key)) continue;
    const isNamed = key === "properties" && isObject(value);
    if (isNamed) Object.keys(value).forEach((name) => names.add(name));
    for (const each of isNamed ? Object.values(value) : [value]) {
      collectProperties(each, names, depth + 1);
    }
  }
}

function unknownValueError(given: string, what: string, known: readonly string[]): UsageError {
  const near = nearest(given, known);
  const end = near === undefined ? "" : `; did you mean ${quote(near)}?`;
  return new UsageError(`Unknown ${what} ${quote(given)}; available: ${known.join(", ")}${end}`);
}
