// @ts-self-types="./basename.d.ts"
export { basename } from "deno-std/path/posix/basename.js";
