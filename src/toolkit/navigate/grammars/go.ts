/** The grammar of Go for tree-sitter, compiled to WebAssembly. */
export { default as grammar } from "@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm" with { type: "bytes" };
