// @ts-self-types="./delay.d.ts"
export { delay } from "deno-std/async/delay.js";
