/** The grammar of JavaScript with JSX for tree-sitter, compiled to WebAssembly. */
export { default as grammar } from "@vscode/tree-sitter-wasm/wasm/tree-sitter-javascript.wasm" with { type: "bytes" };
