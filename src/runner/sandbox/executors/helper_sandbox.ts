/**
 * The sandbox of a call whose tool has a helper, and the helper, in one file of the bundle. Two
 * files cost a cold call 0.3 ms more, because each has to be found, read and compiled.
 */

export { findHelper } from "./helper.ts";
export { hasLandlock, sandboxedInProcess } from "./sandboxed.ts";
