/** The grammar of C++ for tree-sitter, compiled to WebAssembly. */
export { default as grammar } from "@vscode/tree-sitter-wasm/wasm/tree-sitter-cpp.wasm" with { type: "bytes" };
