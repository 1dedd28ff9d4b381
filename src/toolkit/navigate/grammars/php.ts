/** The grammar of PHP for tree-sitter, compiled to WebAssembly. */
export { default as grammar } from "@vscode/tree-sitter-wasm/wasm/tree-sitter-php.wasm" with { type: "bytes" };
