/** The grammar of Java for tree-sitter, compiled to WebAssembly. */
export { default as grammar } from "@vscode/tree-sitter-wasm/wasm/tree-sitter-java.wasm" with { type: "bytes" };
