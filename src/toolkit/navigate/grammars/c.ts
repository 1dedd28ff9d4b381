/** The grammar of C for tree-sitter, compiled to WebAssembly. */
export { default as grammar } from "tree-sitter-c/tree-sitter-c.wasm" with { type: "bytes" };
