// @ts-self-types="./to_file_url.d.ts"
export { toFileUrl } from "deno-std/path/posix/to_file_url.js";
