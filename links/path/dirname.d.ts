/** The folder that `path` lies in. */
export function dirname(path: string): string;
