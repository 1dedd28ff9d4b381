/** The grammar of TypeScript with JSX for tree-sitter, compiled to WebAssembly. */
export { default as grammar } from "@vscode/tree-sitter-wasm/wasm/tree-sitter-tsx.wasm" with { type: "bytes" };
