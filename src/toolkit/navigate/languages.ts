import { Language } from "web-tree-sitter";
import { late } from "../../base/async/late.ts";
import { loadBytes } from "../../base/load_bytes.ts";
import { c } from "./languages/c.ts";
import { cSharp } from "./languages/c_sharp.ts";
import { go } from "./languages/go.ts";
import { java } from "./languages/java.ts";
import { javascript } from "./languages/javascript.ts";
import { php } from "./languages/php.ts";
import { python } from "./languages/python.ts";
import { ruby } from "./languages/ruby.ts";
import { rust } from "./languages/rust.ts";
import { type LanguageRules, named } from "./rules.ts";

/** A language and its grammar. */
export interface Dialect {
  /** The language's name in calls. */
  language: string;
  /** Its name for people. */
  title: string;
  /** The extensions of its files, without the dot. */
  endings: readonly string[];
  /** The names of further files. */
  files?: readonly string[];
  /** A pattern for texts in this language, if another language has the same extension. */
  sign?: RegExp;
  /** The rules for its names. */
  rules: LanguageRules;
  /**
   * Loads its grammar, a WebAssembly module, once tree-sitter has started. It stays, because the memory
   * of WebAssembly never becomes smaller.
   */
  load(): Promise<Language>;
}

async function grammar(module: Promise<Uint8Array<ArrayBuffer>>): Promise<Language> {
  return await Language.load(await module);
}

/** The rules of Bash, too few for a file. Every assignment defines a variable. */
const bash: LanguageRules = {
  identifiers: ["variable_name", "word"],
  definitions: {
    function_definition: named("function"),
    variable_assignment: named("variable"),
    for_statement: { kind: "variable", names: "variable" },
    declaration_command: {
      kind: (_, { type }) => type === "variable_name" ? "variable" : undefined,
      names: "*",
    },
  },
  patterns: {},
  calls: { command: "name" },
  members: ["command_name"],
  imports: [],
  separator: ".",
  spelling: (name) => name.replace(/^\$/, ""),
};

/** All known languages. Two of them share the extension of headers. */
export const dialects: readonly Dialect[] = [
  {
    language: "javascript",
    title: "JavaScript",
    endings: ["js", "jsx", "mjs", "cjs"],
    rules: javascript,
    load: late(() =>
      grammar(loadBytes("npm:@vscode/tree-sitter-wasm@0.3.1/wasm/tree-sitter-javascript.wasm"))
    ),
  },
  {
    language: "typescript",
    title: "TypeScript",
    endings: ["ts", "mts", "cts"],
    rules: javascript,
    load: late(() =>
      grammar(loadBytes("npm:@vscode/tree-sitter-wasm@0.3.1/wasm/tree-sitter-typescript.wasm"))
    ),
  },
  {
    language: "typescript",
    title: "TypeScript with JSX",
    endings: ["tsx"],
    rules: javascript,
    load: late(() =>
      grammar(loadBytes("npm:@vscode/tree-sitter-wasm@0.3.1/wasm/tree-sitter-tsx.wasm"))
    ),
  },
  {
    language: "python",
    title: "Python",
    endings: ["py", "pyi"],
    rules: python,
    load: late(() =>
      grammar(loadBytes("npm:@vscode/tree-sitter-wasm@0.3.1/wasm/tree-sitter-python.wasm"))
    ),
  },
  {
    language: "go",
    title: "Go",
    endings: ["go"],
    rules: go,
    load: late(() =>
      grammar(loadBytes("npm:@vscode/tree-sitter-wasm@0.3.1/wasm/tree-sitter-go.wasm"))
    ),
  },
  {
    language: "rust",
    title: "Rust",
    endings: ["rs"],
    rules: rust,
    load: late(() =>
      grammar(loadBytes("npm:@vscode/tree-sitter-wasm@0.3.1/wasm/tree-sitter-rust.wasm"))
    ),
  },
  {
    language: "java",
    title: "Java",
    endings: ["java"],
    rules: java,
    load: late(() =>
      grammar(loadBytes("npm:@vscode/tree-sitter-wasm@0.3.1/wasm/tree-sitter-java.wasm"))
    ),
  },
  {
    language: "c",
    title: "C",
    endings: ["c", "h"],
    rules: c,
    load: late(() => grammar(loadBytes("npm:tree-sitter-c@0.24.1/tree-sitter-c.wasm"))),
  },
  {
    language: "cpp",
    title: "C++",
    endings: ["h", "cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++"],
    sign: /^\s*(class|namespace|template|using)\b|^\s*(public|protected|private)\s*:|\w::\w/m,
    rules: c,
    load: late(() =>
      grammar(loadBytes("npm:@vscode/tree-sitter-wasm@0.3.1/wasm/tree-sitter-cpp.wasm"))
    ),
  },
  {
    language: "csharp",
    title: "C#",
    endings: ["cs", "csx"],
    rules: cSharp,
    load: late(() =>
      grammar(loadBytes("npm:@vscode/tree-sitter-wasm@0.3.1/wasm/tree-sitter-c-sharp.wasm"))
    ),
  },
  {
    language: "ruby",
    title: "Ruby",
    endings: ["rb", "rake", "gemspec"],
    files: ["Rakefile", "Gemfile"],
    rules: ruby,
    load: late(() =>
      grammar(loadBytes("npm:@vscode/tree-sitter-wasm@0.3.1/wasm/tree-sitter-ruby.wasm"))
    ),
  },
  {
    language: "php",
    title: "PHP",
    endings: ["php", "phtml"],
    rules: php,
    load: late(() =>
      grammar(loadBytes("npm:@vscode/tree-sitter-wasm@0.3.1/wasm/tree-sitter-php.wasm"))
    ),
  },
  {
    language: "bash",
    title: "Bash",
    endings: ["sh", "bash"],
    rules: bash,
    load: late(() =>
      grammar(loadBytes("npm:@vscode/tree-sitter-wasm@0.3.1/wasm/tree-sitter-bash.wasm"))
    ),
  },
];

/**
 * The possible languages of a file by its name, the likeliest first; empty for an unknown extension.
 * With `language`, only the dialects of that language.
 */
export function findDialects(path: string, language?: string): Dialect[] {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const ending = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  return dialects.filter((each) =>
    (language === undefined || each.language === language) &&
    (name.includes(".") && each.endings.includes(ending) || each.files?.includes(name))
  );
}

/** The known extensions, for a message. */
export function knownEndings(): string {
  return [...new Set(dialects.flatMap(({ endings }) => endings))].map((each) => `.${each}`)
    .join(", ");
}
