// @ts-self-types="./unicode_width.d.ts"
export { unicodeWidth } from "deno-std/cli/unicode_width.js";
