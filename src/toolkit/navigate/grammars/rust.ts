/** The grammar of Rust for tree-sitter, compiled to WebAssembly. */
export { default as grammar } from "@vscode/tree-sitter-wasm/wasm/tree-sitter-rust.wasm" with { type: "bytes" };
