// @ts-self-types="./abortable.d.ts"
export { abortable } from "deno-std/async/abortable.js";
