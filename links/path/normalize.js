// @ts-self-types="./normalize.d.ts"
export { normalize } from "deno-std/path/posix/normalize.js";
