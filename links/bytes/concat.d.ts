/** The bytes of all arrays, one after the other, in a new array. */
export function concat(buffers: readonly Uint8Array[]): Uint8Array<ArrayBuffer>;
