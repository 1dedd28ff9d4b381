/** The grammar of Bash for tree-sitter, compiled to WebAssembly. */
export { default as grammar } from "@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm" with { type: "bytes" };
