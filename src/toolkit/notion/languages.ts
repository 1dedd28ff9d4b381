/** The languages of Notion's code blocks. */
const LANGUAGES = new Set([
  "abap,abc,agda,arduino,ascii art,assembly,bash,basic,bnf,c,c#,c++,clojure,coffeescript",
  "coq,css,dart,dhall,diff,docker,ebnf,elixir,elm,erlang,f#,flow,fortran,gherkin,glsl,go",
  "graphql,groovy,haskell,hcl,html,idris,java,javascript,json,julia,kotlin,latex,less,lisp",
  "livescript,llvm ir,lua,makefile,markdown,markup,matlab,mathematica,mermaid,nix",
  "notion formula,objective-c,ocaml,pascal,perl,php,plain text,powershell,prolog,protobuf",
  "purescript,python,r,racket,reason,ruby,rust,sass,scala,scheme,scss,shell,smalltalk",
  "solidity,sql,swift,toml,typescript,vb.net,verilog,vhdl,visual basic,webassembly,xml,yaml",
].flatMap((names) => names.split(",")));

/** Their other common names. */
const ALIASES = {
  ...{ javascript: "js jsx mjs cjs node", typescript: "ts tsx", python: "py python3" },
  ...{ ruby: "rb", rust: "rs", go: "golang", kotlin: "kt", haskell: "hs", ocaml: "ml" },
  ...{ elixir: "ex", shell: "sh zsh console shellsession", powershell: "ps1" },
  ...{ "c++": "cpp c++ cc hpp", c: "h", "c#": "cs csharp", "f#": "fs fsharp" },
  ...{ "objective-c": "objc", "visual basic": "vb", markdown: "md", yaml: "yml" },
  ...{ json: "json5 jsonc jsonl", html: "htm", xml: "svg", latex: "tex" },
  ...{ docker: "dockerfile", makefile: "make mk", hcl: "terraform tf", diff: "patch" },
  ...{ protobuf: "proto", graphql: "gql", webassembly: "wasm wat", assembly: "asm" },
  ...{ clojure: "clj", erlang: "erl", perl: "pl", julia: "jl", lisp: "el" },
  ...{ "plain text": "text txt plain plaintext", sql: "postgresql mysql sqlite" },
  ...{ "llvm ir": "llvm" },
};

/** The languages by these names. */
const NAMES = new Map(
  Object.entries(ALIASES).flatMap(([language, names]) =>
    names.split(" ").map((name) => [name, language])
  ),
);

/** Notion's name for a language by its usual name; undefined for a language unknown to Notion. */
export function notionLanguage(name: string): string | undefined {
  const lower = name.toLowerCase();
  return LANGUAGES.has(lower) ? lower : NAMES.get(lower);
}
