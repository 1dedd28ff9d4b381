// @ts-self-types="./join.d.ts"
export { join } from "deno-std/path/posix/join.js";
