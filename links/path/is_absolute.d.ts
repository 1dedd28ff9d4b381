/** Whether `path` starts at the root. */
export function isAbsolute(path: string): boolean;
