// @ts-self-types="./from_file_url.d.ts"
export { fromFileUrl } from "deno-std/path/posix/from_file_url.js";
