/** The extension of `path`, with its dot. */
export function extname(path: string): string;
