// @ts-self-types="./mod.d.ts"
export { expect } from "deno-std/expect/expect.js";
