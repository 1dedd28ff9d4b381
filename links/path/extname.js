// @ts-self-types="./extname.d.ts"
export { extname } from "deno-std/path/posix/extname.js";
