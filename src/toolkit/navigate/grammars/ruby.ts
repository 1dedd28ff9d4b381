/** The grammar of Ruby for tree-sitter, compiled to WebAssembly. */
export { default as grammar } from "@vscode/tree-sitter-wasm/wasm/tree-sitter-ruby.wasm" with { type: "bytes" };
