/** The languages of Notion's code blocks. */
const LANGUAGES = new Set([
  ...["abap", "abc", "agda", "arduino", "ascii art", "assembly", "bash", "basic", "bnf", "c", "c#"],
  ...["c++", "clojure", "coffeescript", "coq", "css", "dart", "dhall", "diff", "docker", "ebnf"],
  ...["elixir", "elm", "erlang", "f#", "flow", "fortran", "gherkin", "glsl", "go", "graphql"],
  ...["groovy", "haskell", "hcl", "html", "idris", "java", "javascript", "json", "julia", "kotlin"],
  ...["latex", "less", "lisp", "livescript", "llvm ir", "lua", "makefile", "markdown", "markup"],
  ...["matlab", "mathematica", "mermaid", "nix", "notion formula", "objective-c", "ocaml"],
  ...["pascal", "perl", "php", "plain text", "powershell", "prolog", "protobuf", "purescript"],
  ...[
    "python",
    "r",
    "racket",
    "reason",
    "ruby",
    "rust",
    "sass",
    "scala",
    "scheme",
    "scss",
    "shell",
  ],
  ...["smalltalk", "solidity", "sql", "swift", "toml", "typescript", "vb.net", "verilog", "vhdl"],
  ...["visual basic", "webassembly", "xml", "yaml"],
]);

/** Other common names of languages. */
const ALIASES: Readonly<Record<string, string>> = {
  ...{
    js: "javascript",
    jsx: "javascript",
    mjs: "javascript",
    cjs: "javascript",
    node: "javascript",
  },
  ...{ ts: "typescript", tsx: "typescript", py: "python", python3: "python", rb: "ruby" },
  ...{ rs: "rust", golang: "go", kt: "kotlin", hs: "haskell", ml: "ocaml", ex: "elixir" },
  ...{ sh: "shell", zsh: "shell", console: "shell", shellsession: "shell", ps1: "powershell" },
  ...{ cpp: "c++", "c++": "c++", cc: "c++", hpp: "c++", h: "c", cs: "c#", csharp: "c#", fs: "f#" },
  ...{ fsharp: "f#", objc: "objective-c", vb: "visual basic", md: "markdown", yml: "yaml" },
  ...{ json5: "json", jsonc: "json", jsonl: "json", htm: "html", svg: "xml", tex: "latex" },
  ...{ dockerfile: "docker", make: "makefile", mk: "makefile", terraform: "hcl", tf: "hcl" },
  ...{ patch: "diff", proto: "protobuf", gql: "graphql", wasm: "webassembly", wat: "webassembly" },
  ...{ asm: "assembly", clj: "clojure", erl: "erlang", pl: "perl", jl: "julia", el: "lisp" },
  ...{ text: "plain text", txt: "plain text", plain: "plain text", plaintext: "plain text" },
  ...{ postgresql: "sql", mysql: "sql", sqlite: "sql", llvm: "llvm ir" },
};

/** Notion's name for a language by its usual name; undefined for a language unknown to Notion. */
export function notionLanguage(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (LANGUAGES.has(lower)) return lower;
  return Object.hasOwn(ALIASES, lower) ? ALIASES[lower] : undefined;
}
