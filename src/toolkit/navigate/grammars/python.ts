/** The grammar of Python for tree-sitter, compiled to WebAssembly. */
export { default as grammar } from "@vscode/tree-sitter-wasm/wasm/tree-sitter-python.wasm" with { type: "bytes" };
