// @ts-self-types="./dirname.d.ts"
export { dirname } from "deno-std/path/posix/dirname.js";
