// @ts-self-types="./parse.d.ts"
export { parse } from "deno-std/yaml/parse.js";
