/** The path that a file URL names. Throws for a URL of another kind. */
export function fromFileUrl(url: string | URL): string;
