// @ts-self-types="./concat.d.ts"
export { concat } from "deno-std/bytes/concat.js";
