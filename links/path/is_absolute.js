// @ts-self-types="./is_absolute.d.ts"
export { isAbsolute } from "deno-std/path/posix/is_absolute.js";
