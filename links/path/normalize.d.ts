/** `path` without `.`, `..` and doubled separators where they can be resolved. */
export function normalize(path: string): string;
