// @ts-self-types="./resolve.d.ts"
export { resolve } from "deno-std/path/posix/resolve.js";
