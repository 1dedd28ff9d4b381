/** The way from one folder to a path. */
export function relative(from: string, to: string): string;
