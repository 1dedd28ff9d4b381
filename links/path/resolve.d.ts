/** An absolute path, from the working folder. */
export function resolve(...paths: string[]): string;
