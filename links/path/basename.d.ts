/** The last component of `path`. */
export function basename(path: string, suffix?: string): string;
