// @ts-self-types="./relative.d.ts"
export { relative } from "deno-std/path/posix/relative.js";
