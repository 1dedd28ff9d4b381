/** The file URL of an absolute path. Throws for a relative one. */
export function toFileUrl(path: string): URL;
