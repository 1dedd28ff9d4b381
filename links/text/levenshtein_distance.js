// @ts-self-types="./levenshtein_distance.d.ts"
export { levenshteinDistance } from "deno-std/text/levenshtein_distance.js";
