/** The grammar of TypeScript for tree-sitter, compiled to WebAssembly. */
export { default as grammar } from "@vscode/tree-sitter-wasm/wasm/tree-sitter-typescript.wasm" with { type: "bytes" };
